import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import fc, { tries } from '../../support/properties.ts';
import { connectTo } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import { jwt } from '../../support/tokens.ts';
import { witness } from '../../support/witness.ts';

// The gateway's own fields are right, whatever the client writes, and the client's other fields are unchanged.

/** Thousands of random requests: 51 s in .ci/run on a busy machine. */
t.setTimeout(1_800_000);

type Line = readonly [name: string, value: string];

/** RFC 9110 §7.6.1, and the fields that are written again for the connection to the upstream. */
const hopByHop = [
  'Keep-Alive',
  'Proxy-Connection',
  'Proxy-Authorization',
  'Proxy-Authenticate',
  'TE',
  'Trailer',
  'HTTP2-Settings',
  'Upgrade',
];
/** Only in another spelling, because in this spelling they frame the message. */
const framing = [
  'Transfer_Encoding',
  'transfer.encoding',
  'Content_Length',
  'Host_',
  'H_ost',
  'Expect_',
  'Content.Length',
];
const forwarding = [
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded',
  'X-Forwarded-Whatever',
  'X-Real-IP',
];
const identity = ['X-Auth-Subject', 'X-Auth-Scope', 'X-Auth-Anything', 'X-Auth-', 'X-Tenant', 'X-Request-Id'];
const harmless = [
  'X-A',
  'X-B',
  'Accept',
  'Cookie',
  'X-Authority',
  'X-Forward',
  'X-Tenants',
  'User-Agent',
  'Via',
  'Range',
  'XAuthSubject',
  '_',
  'A.b',
];

/** As a server reads a name that it passes in a CGI variable (RFC 3875 §4.1.18). */
const variable = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]/g, '_');

const ours = new Set(
  [
    ...hopByHop,
    ...['Connection', 'Transfer-Encoding', 'Content-Length', 'Host', 'Expect', 'X-Real-IP', 'Forwarded', 'X-Forwarded'],
    ...['X-Tenant', 'X-Request-Id', 'Authorization'],
  ].map(variable),
);
const isOurs = (name: string) => ours.has(variable(name)) || /^(?:X_FORWARDED_|X_AUTH_)/.test(variable(name));

/** The same name as some server may fold it: in any case, with another character for a hyphen. */
const spelt = (name: string) =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
      fc.constantFrom('-', '-', '-', '_', '.', '~', '!'),
    )
    .map(([upper, mark]) =>
      [...name]
        .map((each, index) => (upper[index] ? each.toUpperCase() : each.toLowerCase()))
        .join('')
        .replaceAll('-', mark),
    );

const name = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...hopByHop) },
  { weight: 1, arbitrary: fc.constantFrom(...framing) },
  { weight: 2, arbitrary: fc.constantFrom(...forwarding).chain(spelt) },
  { weight: 2, arbitrary: fc.constantFrom(...identity).chain(spelt) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...hopByHop)
      .filter((each) => each.includes('-'))
      .chain(spelt),
  },
  { weight: 4, arbitrary: fc.constantFrom(...harmless).chain(spelt) },
);

const value = fc.oneof(
  fc.constantFrom('mallory', '6.6.6.6', 'trailers', 'gzip, trailers', '', 'for=6.6.6.6', 'chunked', '1'),
  fc.stringMatching(/^[!-~\x80-\xff](?:[\t -~\x80-\xff]{0,12}[!-~\x80-\xff])?$/),
);

const line = fc.tuple(name, value);
/** `Connection` may also name what the gateway itself writes. */
const named = fc.oneof(
  name,
  fc.constantFrom('keep-alive', 'host', 'via', 'te', 'content-length', 'x-forwarded-for', 'x-auth-subject'),
);
const connection = fc
  .array(named, { minLength: 1, maxLength: 4 })
  .map((names): Line => ['Connection', names.filter((each) => each.toLowerCase() !== 'upgrade').join(' ,\t')]);

const lines = fc
  .tuple(
    fc.array(line, { maxLength: 12 }),
    fc.array(connection, { maxLength: 2 }),
    fc.array(fc.nat(20), { maxLength: 3 }),
  )
  .map(([plain, connections, places]) =>
    connections.reduce<readonly Line[]>(
      (all, each, index) => all.toSpliced((places[index] ?? 0) % (all.length + 1), 0, each),
      plain,
    ),
  );

/** The same names with other values, a few times. The listener reads such sections in another way. */
const changes = fc.array(fc.array(fc.tuple(fc.nat(12), value), { maxLength: 3 }), { minLength: 2, maxLength: 3 });

function changed(received: readonly Line[], values: readonly (readonly [at: number, value: string])[]): Line[] {
  const later = new Map(values);
  return received.map(([name, value], at) => [name, name === 'Connection' ? value : (later.get(at) ?? value)]);
}

/** The client's own lines that remain: order and values unchanged. */
function kept(received: readonly Line[]): Line[] {
  const connections = received.filter(([name]) => name.toLowerCase() === 'connection');
  const named = new Set(connections.flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase())));
  return received
    .filter(([name]) => !isOurs(name) && !named.has(name.toLowerCase()))
    .map(([name, value]) => [name.toLowerCase(), value] as const);
}

function pairs(raw: readonly string[]): Line[] {
  return Array.from(
    { length: raw.length / 2 },
    (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const,
  );
}

const ENDING = /^(?:host|connection|x-request-id)$/;

t.test(
  'whatever header lines arrive, the upstream gets the client’s own in order, and ours as documented',
  async (t) => {
    const upstream = await witness(t);
    const identity_headers = { set: { 'X-Auth-Subject': 'sub', 'X-Tenant': 'tenant', 'X-Auth-Scope': 'scope' } };
    const routes = [
      { id: 'public', match: { path: '/public' }, access: 'public' },
      { id: 'orders', match: { path: '/orders' }, scope: 'orders.read' },
    ];
    const { port } = await gateway(
      t,
      behind(upstream.url, { routes, defaults: { upstream: 'api', identity_headers } }),
    );
    const token = await jwt({ tenant: 'acme', scope: 'orders.read' }, { alg: 'HS256' });
    const identityLines: readonly Line[] = [
      ['x-auth-subject', 'alice'],
      ['x-tenant', 'acme'],
      ['x-auth-scope', 'orders.read'],
    ];
    let client = await connectTo(port);
    t.teardown(() => client.destroy());

    const judge = async (received: readonly Line[], isPublic: boolean) => {
      if (client.closed) client = await connectTo(port);
      upstream.forget();
      const headers = isPublic ? received : [...received, bearer(token)];
      client.send(requestText({ target: isPublic ? '/public' : '/orders', headers }));
      const answer = await client.read();
      if (answer?.status !== 200) throw new Error(`answered ${answer?.status}: ${answer?.body.toString()}`);
      if (answer.all('connection').includes('close')) client.destroy();
      const [seen] = upstream.seen;
      const host = 'api.example.com';
      const wantsTrailers = received.some(
        ([name, value]) =>
          name.toLowerCase() === 'te' && value.split(',').some((each) => each.trim().toLowerCase() === 'trailers'),
      );
      const lines = pairs(seen?.rawHeaders ?? []);
      deepStrictEqual(
        lines.filter(([name]) => !ENDING.test(name.toLowerCase())),
        [
          ...kept(received),
          ['x-forwarded-for', '127.0.0.1'],
          ['x-forwarded-host', host],
          ['x-forwarded-proto', 'http'],
          ['forwarded', `for=127.0.0.1;host=${host};proto=http`],
          ['via', '1.1 gatehouse'],
          ...(wantsTrailers ? [['te', 'trailers']] : []),
          ...(isPublic ? [] : identityLines),
        ],
      );
      const rest = lines
        .filter(([name]) => ENDING.test(name.toLowerCase()))
        .map(([name, value]) => [name.toLowerCase(), value]);
      const id = rest.find(([name]) => name === 'x-request-id')?.[1] ?? '';
      deepStrictEqual(
        new Map(rest as [string, string][]),
        new Map([
          ['host', host],
          ['connection', 'keep-alive'],
          ['x-request-id', id],
        ]),
      );
      deepStrictEqual([rest.length, /^[\w-]{10,}$/.test(id)], [3, true]);
    };
    const property = fc.asyncProperty(lines, fc.boolean(), changes, async (received, isPublic, later) => {
      await judge(received, isPublic);
      for (const values of later) await judge(changed(received, values), isPublic);
    });
    const { numRuns } = tries(250, 3_000);
    await fc.assert(property, { numRuns });
  },
);
