import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { filesIn } from '../docs/cookbook.ts';
import { promised, statementsOf } from '../docs/pages/statements.ts';
import { cuttable } from '../support/cuttable.ts';
import { freePort } from '../support/free-port.ts';
import { blockOf, nginx, nginxOfFiles, programAt } from '../support/front-proxy.ts';
import { gateway } from '../support/gateway.ts';
import { open as connected } from '../support/raw-client.ts';
import { type RawConnection, rawUpstream } from '../support/raw-upstream.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { hmacServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { fronted, gist, type Parts, type Starts } from './asked-by.ts';

/** Starts nginx or Caddy: 8 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const page = 'behind-nginx.md';
const options = { skip: programAt('nginx') === undefined && 'nginx not present' };
const token = () => jwt({ scope: 'orders.read' }, { alg: 'HS256' });
const { routes } = filesIn(page)[1]?.values ?? {};

/** The earlier configuration, with the files included; its own error pages say so. */
const start: Starts = (t, page, { decision, upstream }) => {
  const root = t.testdir();
  mkdirSync(join(root, 'own'));
  for (const name of ['404', '50x']) writeFileSync(join(root, 'own', `${name}.html`), `own ${name}`);
  return nginxOfFiles(t, page, { '127.0.0.1:9000': upstream, '/usr/share/nginx': root }, decision);
};
const asked = (t: Test, starts = start) => fronted(t, page, starts, { routes });

/** The file of the section "In 60 lines". */
const short: Starts = (t, page, { decision, upstream }) =>
  nginxOfFiles(t, page, { '127.0.0.1:9000': upstream }, decision, 'nginx short');

t.test(
  'the short file protects every location, and forwards accepted requests as they were judged',
  options,
  async (t) => {
    const { send, upstream, proxy } = await fronted(t, page, short);
    for (const target of ['/orders/1', '/assets/../orders/1', '/unknown'])
      t.ok((await send({ target })).status >= 400, `${target} ${proxy.log()}`);
    t.equal(upstream.seen.length, 0);
    const headers = [bearer(await token()), ['X-Auth-Subject', 'mallory'] as const];
    t.equal((await send({ target: '/orders/%7e1?a=b', headers })).status, 200, proxy.log());
    const [seen] = upstream.seen;
    t.equal(seen?.target, '/orders/~1?a=b', 'the target that was judged');
    t.strictSame([seen?.header('x-auth-subject'), seen?.header('authorization')], ['alice', undefined]);
  },
);

t.test('the files protect the locations that include them', options, async (t) => {
  const { send, upstream, proxy } = await asked(t);
  const origin = ['Origin', 'https://app.example.com'] as const;
  const headers = [bearer(await token()), origin, ['X-Auth-Subject', 'mallory'] as const];
  for (const target of ['/orders/1', '/v2/1']) {
    t.match(gist(await send({ target })), { status: 401, code: 'credential_missing' }, `${target} ${proxy.log()}`);
    t.match(gist(await send({ target, headers: [bearer('abc')] })), { status: 401, code: 'token_malformed' }, target);
    t.equal(upstream.seen.length, 0, target);
    const response = await send({ target, headers });
    t.equal(response.status, 200, target);
    t.equal(response.header('access-control-allow-origin'), 'https://app.example.com', target);
    t.equal(response.header('strict-transport-security'), 'max-age=31536000', target);
    t.equal(response.header('x-api-version'), target === '/v2/1' ? '2' : undefined, target);
    const [seen] = upstream.seen.splice(0);
    t.equal(seen?.target, target.replace('/v2', ''), 'a prefix goes by `rewrite`, where `proxy_pass` had a path');
    t.strictSame([seen?.header('x-auth-subject'), seen?.header('authorization')], ['alice', undefined], target);
  }
  const document = await send({ target: '/.well-known/oauth-protected-resource' });
  t.equal(JSON.parse(document.body.toString()).resource, 'https://api.example.com');
  t.equal(upstream.seen.length, 0);
});

t.test(
  'in an open location no client can claim an identity, and no open location leads to a protected one',
  options,
  async (t) => {
    const { send, upstream, decisions } = await asked(t);
    const headers = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope', 'X_Auth_Subject', 'X-Auth_Subject'].map(
      (name) => [name, 'mallory'] as const,
    );
    t.equal((await send({ target: '/assets/logo.svg', headers })).status, 200);
    t.equal(upstream.seen.length, 1);
    t.notMatch(JSON.stringify(upstream.seen.splice(0)[0]?.rawHeaders), 'mallory');
    t.equal(decisions(), 0);
    for (const target of ['..', '.%2e', '%2e%2e', '.', '/..'].map((dots) => `/assets/${dots}/../orders/1`)) {
      t.ok((await send({ target, headers })).status >= 400, target);
      t.equal(upstream.seen.length, 0, target);
    }
  },
);

/** The statements of a shell block of the page whose comments promise an HTTP status, and the functions that they use. */
function statements(head: string, addresses: Readonly<Record<string, string>>): readonly string[] {
  return statementsOf(blockOf(page, 'sh', addresses, head)).filter((each) => /^(?:curl|ask)\b/.test(each));
}

async function keepsPromises(t: Test, lines: readonly string[]): Promise<void> {
  const define = lines.filter((line) => line.startsWith('ask()'));
  const env = { ...process.env, TOKEN: await token() };
  for (const line of lines.filter((each) => !define.includes(each))) {
    const { stdout } = await promisify(execFile)('bash', ['-c', [...define, line].join('\n')], { env });
    const { http } = promised(line);
    if (http !== undefined) t.match(stdout, new RegExp(`^HTTP/1\\.1 ${http} `), line);
    for (const [, header = ''] of line.matchAll(/[ ,](X-[\w-]+: \d+)/g))
      t.match(stdout, new RegExp(`^${header}\r$`, 'im'), line);
  }
}

t.test('the endpoint and nginx answer the requests of the page as its comments say', options, async (t) => {
  const { proxy, gateway: running } = await fronted(t, page, short);
  const addresses = {
    '127.0.0.1:8082': new URL(running.decisionUrl ?? '').host,
    '127.0.0.1/': `127.0.0.1:${proxy.port}/`,
  };
  const lines = statements('ask()', addresses);
  t.strictSame(
    lines.flatMap((line) => promised(line).http ?? []),
    ['401', '200', '403', '403', '404'],
  );
  await keepsPromises(t, lines);
});

t.test('the requests of the part "Try it" get the answers in its comments', options, async (t) => {
  const { proxy, upstream } = await asked(t);
  const lines = statements('nginx -t', { '127.0.0.1/': `127.0.0.1:${proxy.port}/` });
  t.equal(lines.length, 3);
  await keepsPromises(t, lines);
  t.equal(upstream.seen.length, 2);
  t.notMatch(JSON.stringify(upstream.seen.map((seen) => seen.rawHeaders)), 'mallory');
});

const SET = /^proxy_set_header (\S+) (\S+);$/gm;
const setIn = (name: string): readonly (readonly [name: string, value: string])[] => {
  const text = readFileSync(new URL(`../../config/nginx/${name}`, import.meta.url), 'utf8');
  return [...text.matchAll(SET)].map(([, header = '', value = '']) => [header, value]);
};
const cleared = setIn('gatehouse-open.conf');

t.test('an open location removes each header that a protected one sets or clears, except Host', async (t) => {
  const told = setIn('gatehouse-location.conf').flatMap(([name]) => (name === 'Host' ? [] : [name]));
  t.strictSame(cleared.map(([name]) => name).sort(), told.sort());
  t.strictSame([...new Set(cleared.map(([, value]) => value))], ['""']);
  for (const name of ['Authorization', 'Upgrade', 'Forwarded', 'X-Forwarded-For', 'X-Original-URL', 'X-Rewrite-URL'])
    t.ok(told.includes(name), name);
});

t.test("in an open location, no client's value of these headers reaches the upstream", options, async (t) => {
  const { send, upstream } = await asked(t);
  const headers = cleared.map(([name]) => [name, 'mallory'] as const);
  t.equal((await send({ target: '/assets/logo.svg', headers })).status, 200);
  t.notMatch(JSON.stringify(upstream.seen.map((seen) => seen.rawHeaders)), 'mallory');
  const odd = [['X-Rewrite-URL', '/mallory'] as const];
  t.equal((await send({ target: '/orders/1', headers: [bearer(await token()), ...odd] })).status, 200);
  t.equal(upstream.seen[1]?.header('x-rewrite-url'), undefined, 'nor where somebody is');
});

const throughOpen: readonly RequestText[] = [
  { target: '/orders/..%2ffavicon.ico' },
  { target: '/orders/7/../../favicon.ico' },
  { target: '/orders/%2e%2e/assets/x' },
  { target: '/orders/7/..%2f..%2fassets/x' },
  { method: 'POST', target: '/orders/..%2ffavicon.ico?x=1' },
];
const block: Starts = (t, page, { decision, upstream }) =>
  nginx(t, page, { '127.0.0.1:8082': decision, '127.0.0.1:9000': upstream });

t.test('an open location forwards the path that nginx matched, and allows only reading', options, async (t) => {
  const setups = [
    { ...(await asked(t)), open: '/assets/x' },
    { ...(await fronted(t, page, block)), open: '/favicon.ico' },
  ];
  for (const { send, upstream, open } of setups) {
    for (const request of throughOpen) await send(request);
    t.strictSame(
      upstream.seen.splice(0).map(({ target }) => target),
      [open, open],
      'nothing of /orders',
    );
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      t.equal((await send({ method, target: open })).status, 403, method);
    t.equal(upstream.seen.length, 0);
    t.equal((await send({ method: 'HEAD', target: `${open}?a=b` })).status, 200);
    t.equal(upstream.seen.splice(0)[0]?.target, `${open}?a=b`);
  }
});

t.test("own error pages stay, and a 401 or 403 of the API stays the API's own", options, async (t) => {
  const gone = await freePort();
  const { send, upstream } = await asked(t, (t, page, parts) =>
    start(t, page, { ...parts, upstream: `127.0.0.1:${gone} max_fails=0; server ${parts.upstream}` }),
  );
  const headers = [bearer(await token())];
  const answered = async (target: string, status: number) => {
    upstream.behave({ status, headers: [['WWW-Authenticate', 'Custom']], body: 'of the API' });
    const response = await send({ target, headers });
    return [response.status, response.body.toString()] as const;
  };
  t.strictSame(await answered('/orders/1', 404), [404, 'own 404']);
  t.strictSame(await answered('/orders/1', 503), [503, 'own 50x']);
  for (const status of [401, 403, 403, 401]) {
    const [kept, text] = await answered('/orders/1', status);
    t.equal(kept, status, 'with proxy_intercept_errors');
    t.match(text, /<title>40[13] /);
    t.strictSame(await answered('/v2/1', status), [status, 'of the API'], 'without');
  }
  t.match(gist(await send({ target: '/orders/1' })), { status: 401, code: 'credential_missing' }, 'ours is ours');
  const nowhere = await send({ target: '/nowhere' });
  t.strictSame([nowhere.status, nowhere.body.toString()], [404, 'own 404'], 'and that of the server is the server’s');
});

const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
const upgrade = (protocol: string, headers: readonly (readonly [string, string])[] = []) =>
  requestText({ target: '/orders/live', headers: [['Connection', 'Upgrade'], ['Upgrade', protocol], ...headers] });

t.test(
  'a WebSocket opens for an accepted request, both ways, and no other upgrade is forwarded',
  options,
  async (t) => {
    const echo = ({ socket, received, heads }: RawConnection) => {
      if (heads === 1 && /^upgrade: websocket/im.test(received)) socket.write(`${switching}hello`);
      else socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    };
    const upstream = await rawUpstream(t, echo);
    const { values } = filesIn(page)[0] ?? {};
    const [here, upstreams] = [{ listen: '127.0.0.1:0', routes }, { orders: { url: upstream.url } }];
    const decision = { ...values.decision, listen: '127.0.0.1:0' };
    const running = await gateway(t, { ...values, ...here, authorization_servers: hmacServer, upstreams, decision });
    const parts: Parts = {
      decision: new URL(running.decisionUrl ?? '').host,
      listen: '',
      upstream: new URL(upstream.url).host,
    };
    const proxy = await start(t, page, parts);
    const refused = await connected(t, proxy.port);
    refused.send(upgrade('websocket'));
    t.equal((await refused.read())?.status, 401);
    t.equal(upstream.connections.length, 0);
    const credential = bearer(await token());
    const client = await connected(t, proxy.port);
    client.send(upgrade('websocket', [credential]));
    t.equal((await client.read())?.status, 101);
    client.send(Buffer.from('from the client'));
    t.ok(await until(() => upstream.connections[0]?.received.endsWith('from the client') === true));
    const other = await connected(t, proxy.port);
    other.send(upgrade('h2c', [credential]));
    t.equal((await other.read())?.status, 200);
    t.notMatch(upstream.connections[1]?.received, /^upgrade:/im);
  },
);

t.test(
  'while Gatehouse is down or hangs protected locations get a 500 in seconds, and the others work',
  options,
  async (t) => {
    let way: Awaited<ReturnType<typeof cuttable>> | undefined;
    const { send, upstream, proxy } = await asked(t, async (t, page, parts) => {
      way = await cuttable(t, `http://${parts.decision}`);
      return start(t, page, { ...parts, decision: new URL(way.url).host });
    });
    const headers = [bearer(await token())];
    const told = async (target: string) => {
      const response = await send({ target, headers });
      return [response.status, response.body.toString()] as const;
    };
    way?.freeze();
    const began = performance.now();
    t.strictSame(await told('/orders/1'), [500, 'own 50x']);
    const seconds = (performance.now() - began) / 1_000;
    t.ok(seconds > 5 && seconds < 40, `${seconds} s: above what an authorization server may take, and bounded`);
    t.match(proxy.log(), 'auth request unexpected status: 504');
    way?.cut();
    t.strictSame(await told('/orders/2'), [500, 'own 50x']);
    t.match(proxy.log(), 'auth request unexpected status: 502');
    t.equal(upstream.seen.length, 0);
    t.equal((await told('/assets/logo.svg'))[0], 200);
  },
);

t.test('one of two servers in `upstream gatehouse` may be down', options, async (t) => {
  const gone = await freePort();
  const { send } = await asked(t, (t, page, parts) =>
    start(t, page, { ...parts, decision: `127.0.0.1:${gone}; server ${parts.decision}` }),
  );
  const headers = [bearer(await token())];
  for (let index = 0; index < 6; index++)
    t.strictSame(
      [(await send({ target: `/orders/${index}`, headers })).status, (await send({ target: '/orders/1' })).status],
      [200, 401],
    );
});
