import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { type Seen, witness } from '../support/witness.ts';

/** Every mix of `-`, `_` and case in a name, or a sample if there are many. */
function spellings(name: string): string[] {
  const parts = name.split('-');
  const separators = Array.from({ length: 2 ** (parts.length - 1) }, (_, mask) =>
    parts.reduce((text, part, index) => text + (mask & (1 << (index - 1)) ? '_' : '-') + part),
  );
  return separators.flatMap((each) => [
    each,
    each.toLowerCase(),
    each.toUpperCase(),
    each.toLowerCase().replace(/^x/, 'X'),
  ]);
}

const identityNames = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope', 'X-Auth-Anything-Else', 'X-Auth-'];
const forwardingNames = [
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Forwarded-Prefix',
  'X-Forwarded-Uri',
  'X-Forwarded-User',
  'Forwarded',
];

/** Names as a CGI server would fold them (RFC 3875 §4.1.18). */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-');
}

function valuesUnder(seen: Seen | undefined, prefix: RegExp): [string, string][] {
  const raw = seen?.rawHeaders ?? [];
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[folded(name), raw[index + 1] as string] as [string, string]] : [],
  );
  return pairs.filter(([name]) => prefix.test(name));
}

const changes = {
  routes: [
    { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
    { id: 'optional', match: { path: '/optional/{rest*}' }, access: 'optional' },
    { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
    {
      id: 'own',
      match: { path: '/own/{rest*}' },
      access: 'public',
      identity_headers: { prefix: 'X-Id-', set: { 'X-Id-Sub': 'sub', Remote_User: 'sub' } },
    },
  ],
};

for (const target of ['/public/a', '/optional/a', '/orders/a']) {
  t.test(
    `advisory 18, 24, 26, 52, 60: a client’s own identity header, in any spelling, is removed on ${target}`,
    async (t) => {
      const upstream = await witness(t);
      const { port } = await gateway(t, behind(upstream.url, changes));
      const token = target === '/orders/a' ? [bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }))] : [];
      for (const name of identityNames.flatMap(spellings)) {
        const response = await ask(
          port,
          requestText({ target, headers: [[name, 'mallory'], ...token, [name, 'mallory again']] }),
        );
        t.equal(response.status, 200, name);
        const values = valuesUnder(upstream.seen.pop(), /^x-auth-/);
        t.notMatch(JSON.stringify(values), /mallory/, name);
        t.equal(values.length, target === '/orders/a' ? 3 : 0, `${name}: only ours, each once`);
      }
    },
  );
}

t.test('the names of a route’s own identity headers are removed there too, also without the prefix', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, changes));
  for (const name of ['X-Id-Sub', 'x_id_sub', 'X-ID-ELSE', 'Remote-User', 'remote_user', 'REMOTE-USER']) {
    await ask(port, requestText({ target: '/own/a', headers: [[name, 'mallory']] }));
    t.notMatch(JSON.stringify(upstream.seen.pop()?.rawHeaders), /mallory/, name);
  }
});

t.test(
  'advisory 3, 13, 14, 25: the gateway sets every forwarding header itself, from the connection alone',
  async (t) => {
    const upstream = await witness(t);
    const { port } = await gateway(t, behind(upstream.url, changes));
    for (const name of forwardingNames.flatMap(spellings)) {
      await ask(
        port,
        requestText({
          target: '/public/a',
          headers: [
            [name, 'evil.example, 6.6.6.6;proto=https'],
            [name, 'evil twice'],
          ],
        }),
      );
      const values = valuesUnder(upstream.seen.pop(), /^(x-forwarded-|forwarded$)/);
      t.notMatch(JSON.stringify(values), /evil|6\.6\.6\.6|https/, name);
      t.same(Object.fromEntries(values), {
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': 'api.example.com',
        'x-forwarded-proto': 'http',
        forwarded: 'for=127.0.0.1;host=api.example.com;proto=http',
      });
      t.equal(values.length, 4, `${name}: each once`);
    }
  },
);

t.test('advisory 14: no header replaces the request target or the method', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const headers = [
    'X-Forwarded-Uri',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Method',
    'X-HTTP-Method-Override',
    'X-Original-Method',
  ];
  for (const name of headers) {
    const response = await ask(
      port,
      requestText({
        target: '/orders/a',
        headers: [[name, name.endsWith('RL') || name.endsWith('Uri') ? '/public/a' : 'OPTIONS']],
      }),
    );
    t.equal(response.status, 401, name);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('advisory 15: no User-Agent opens a route', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const agent of ['kube-probe/1.30', 'GoogleHC/1.0', 'ELB-HealthChecker/2.0']) {
    t.equal(
      (await ask(port, requestText({ target: '/orders/a', headers: [['User-Agent', agent]] }))).status,
      401,
      agent,
    );
  }
});

t.test('advisory 12: a Host cannot inject parameters into Forwarded', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const host of ['a";for=1.2.3.4', 'a;for=1.2.3.4', 'a,for=1.2.3.4', 'a"', 'a\\']) {
    t.equal((await ask(port, requestText({ target: '/public/a', host }))).status, 400, host);
  }
  t.equal(upstream.seen.length, 0);
  await ask(port, requestText({ target: '/public/a', host: 'api.example.com:8080' }));
  t.equal(upstream.seen[0]?.header('forwarded'), 'for=127.0.0.1;host="api.example.com:8080";proto=http');
});

t.test(
  'the Authorization of a checked request is removed unless the route forwards it; on a public route it passes',
  async (t) => {
    const upstream = await witness(t);
    const forwarding = {
      id: 'forwarding',
      match: { path: '/forwarding/{rest*}' },
      scope: 'orders.read',
      forward_credential: true,
    };
    const { port } = await gateway(t, behind(upstream.url, { routes: [...changes.routes, forwarding] }));
    const token = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
    for (const [target, expected] of [
      ['/orders/a', []],
      ['/forwarding/a', [token[1]]],
      ['/public/a', [token[1]]],
    ] as const) {
      t.equal((await ask(port, requestText({ target, headers: [token] }))).status, 200, target);
      t.same(upstream.seen.pop()?.all('authorization'), expected, target);
    }
  },
);
