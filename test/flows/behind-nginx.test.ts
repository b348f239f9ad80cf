import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { nginx, programAt } from '../support/front-proxy.ts';
import { bearer, type RequestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { fronted, gist, type Starts } from './asked-by.ts';
import { crossings, refusals, spoofed, twoHosts } from './asked-cases.ts';
import { many } from './many-calls.ts';

/** Starts nginx or Caddy and programs, and opens services: 22 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const page = 'behind-nginx.md';
const start: Starts = (t, page, { decision, upstream }) =>
  nginx(t, page, { '127.0.0.1:8082': decision, '127.0.0.1:9000': upstream });
const open = (t: Test, changes?: object) => fronted(t, page, start, changes);
const absent = programAt('nginx') === undefined && 'nginx not present';
const options = { skip: absent };
const token = (scope = 'orders.read') => jwt({ scope }, { alg: 'HS256' });

t.test('nginx forwards accepted requests, with the identity and without the token', options, async (t) => {
  const { send, upstream, proxy } = await open(t);
  const response = await send({ target: '/orders/%7e1?a=b', headers: [bearer(await token())] });
  t.equal(response.status, 200, proxy.log());
  const [seen] = upstream.seen;
  t.equal(seen?.target, '/orders/~1?a=b', 'the target that was judged');
  t.strictSame(
    ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'authorization', 'host'].map((name) => seen?.header(name)),
    ['alice', 'shop', 'orders.read', undefined, 'api.example.com'],
  );
  t.equal(seen?.header('x-request-id'), response.header('x-request-id'));
  const write = { method: 'POST', target: '/orders', headers: [bearer(await token('orders.write'))], body: 'hello' };
  const allowed = await send(write);
  t.match([allowed.status, allowed.header('cache-control')], [200, undefined]);
  t.equal(upstream.seen[1]?.body.toString(), 'hello');
  t.equal((await send({ target: '/catalogue/1', headers: [bearer('its-own')] })).status, 200);
  t.equal(upstream.seen[2]?.header('authorization'), 'Bearer its-own', 'on a public route it passes');
});

t.test('every refusal, preflight and document through nginx is the same as from the gateway', options, async (t) => {
  const { send, direct, upstream } = await open(t);
  const cases = await refusals();
  for (const [name, request] of Object.entries(cases)) {
    const [through, own] = [gist(await send(request)), gist(await direct(request))];
    t.strictSame(through, own, name);
  }
  t.strictSame(
    Object.keys(cases)
      .map((name) => Number(name.slice(0, 3)))
      .filter((status) => status >= 400).length > 8,
    true,
  );
  t.equal(upstream.seen.length, 0);
});

t.test('through nginx, a limit is 429 with Retry-After, and an outage 503', options, async (t) => {
  const { send, direct } = await open(t);
  const limited = { target: '/reports/1', headers: [bearer(await token())] };
  t.strictSame([(await send(limited)).status, (await direct(limited)).status], [200, 200], 'they count together');
  const refused = await send(limited);
  t.match(gist(refused), { status: 429, code: 'rate_limited', waits: true });
  const gone = {
    main: {
      issuer: 'https://auth.example.com',
      jwks_uri: 'http://127.0.0.1:9/jwks',
      audience: 'https://api.example.com',
    },
  };
  const out = await open(t, { authorization_servers: gone, development: true });
  const request = { target: '/orders/1', headers: [bearer(await jwt({ scope: 'orders.read' }))] };
  t.match(gist(await out.send(request)), { status: 503, code: 'authorization_server_unavailable', waits: true });
  t.equal(out.upstream.seen.length, 0);
});

t.test('with its cache, nginx asks once in max_age for each token and target', options, async (t) => {
  const { send, decisions, upstream } = await open(t);
  const bob = await jwt({ scope: 'orders.read', sub: 'bob' }, { alg: 'HS256' });
  const headers = [[bearer(await token())], [bearer(bob)]] as const;
  const get = (index: number) => send({ target: '/orders/1', headers: headers[index % 2] ?? [] });
  const began = performance.now();
  const at = Array.from({ length: 40 }, (_, index) => get(index));
  t.ok((await Promise.all(at)).every(({ status }) => status === 200));
  const ticks = 1 + Math.ceil((performance.now() - began) / 1_000);
  t.ok(decisions() <= 2 * ticks, `${decisions()} questions for 40 requests at once`);
  let sent = at.length;
  for (; performance.now() - began < 3_500; sent++) t.equal((await get(sent)).status, 200);
  const most = 2 * Math.ceil((performance.now() - began) / 1_000);
  t.ok(decisions() >= 4 && decisions() <= most, `${decisions()} questions for ${sent} requests, ${most} at most`);
  const who = upstream.seen.map((seen) => seen.header('x-auth-subject'));
  t.strictSame([...new Set(who)].sort(), ['alice', 'bob'], 'each is told as who it is');
  t.equal(who.filter((subject) => subject === 'bob').length, sent >> 1);
});

t.test('simultaneous requests after the end of a cached answer cause one decision request, too', options, async (t) => {
  const { send, decisions } = await open(t);
  const alice = [bearer(await token())];
  let late = 0;
  const get = async () => {
    const began = performance.now();
    const { status } = await send({ target: '/orders/1', headers: alice });
    if (performance.now() - began > 500) late++;
    return status;
  };
  await many(1, 2_100, get);
  const [asked, first] = [decisions(), Math.floor(Date.now() / 1000)];
  late = 0;
  const statuses = await many(20, 4_000, get);
  const seconds = Math.floor(Date.now() / 1000) - first + 1;
  t.ok(statuses.every((status) => status === 200) && statuses.length > 100, `${statuses.length} passed`);
  // nginx serves an expired answer for at most a second while one request asks. On a machine that stalls longer, each
  // waiting client may get one late answer.
  const most = seconds + late;
  const questions = decisions() - asked;
  t.ok(questions >= 3 && questions <= most, `${questions} questions in ${seconds} seconds of the clock, ${late} late`);
});

t.test('if Gatehouse is down no request passes, whatever error pages nginx has', options, async (t) => {
  for (const to of ['/own/50x.html', '= /own/50x.html', '=200 /own/50x.html', '=204 @own']) {
    const own = `server_name api.example.com; error_page 500 502 503 504 ${to};
      location = /own/50x.html { return 200 sorry; } location @own { return 200 sorry; }`;
    const down: Starts = async (t, page, { upstream }) => {
      const decision = `127.0.0.1:${await freePort()}`;
      const addresses = { '127.0.0.1:8082': decision, '127.0.0.1:9000': upstream, 'server_name api.example.com;': own };
      return nginx(t, page, addresses);
    };
    const { send, upstream, proxy } = await fronted(t, page, down);
    for (const method of ['GET', 'POST'])
      t.equal((await send({ target: '/orders/1', method, headers: [bearer('none')] })).status, 500, `${method} ${to}`);
    t.equal(upstream.seen.length, 0, to);
    t.match(proxy.log(), /auth request unexpected status: 502/);
  }
});

t.test('a cached decision of nginx counts only for the same method, host, target and token', options, async (t) => {
  const { send } = await open(t);
  const read = [bearer(await token())];
  t.equal((await send({ target: '/orders/1', headers: read })).status, 200);
  const others: readonly (readonly [RequestText, number])[] = [
    [{ target: '/orders/1' }, 401],
    [{ target: '/orders/1', headers: [bearer(await token('other'))] }, 403],
    [{ target: '/orders/1', method: 'POST', headers: read }, 403],
    [{ target: '/orders/1', method: 'DELETE', headers: read }, 405],
    [{ target: '/nowhere', headers: read }, 404],
  ];
  for (const [request, status] of others) t.equal((await send(request)).status, status, JSON.stringify(request));
});

t.test(
  'if the cache key lacks a deciding header no other request passes, because nginx follows Vary',
  options,
  async (t) => {
    const careless: Starts = (t, page, { decision, upstream }) =>
      nginx(t, page, {
        '127.0.0.1:8082': decision,
        '127.0.0.1:9000': upstream,
        '$request_uri $http_authorization"': '$request_uri"',
      });
    const env = (name: string) => ({ id: name, match: { path: '/env', headers: { 'X-Env': name } } });
    const routes = [
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
      { ...env('open'), access: 'public' },
      { ...env('closed'), scope: 'admin' },
    ];
    const { send, upstream, decisions } = await fronted(t, page, careless, { routes });
    const [alice, bob] = [
      bearer(await token()),
      bearer(await jwt({ scope: 'orders.read', sub: 'bob' }, { alg: 'HS256' })),
    ];
    const status = async (request: RequestText) => (await send(request)).status;
    for (let round = 0; round < 3; round++) {
      for (const each of [alice, bob]) t.equal(await status({ target: '/orders/1', headers: [each] }), 200);
      t.equal(await status({ target: '/orders/1' }), 401);
      t.equal(await status({ target: '/env', headers: [['X-Env', 'open']] }), 200);
      t.equal(await status({ target: '/env', headers: [['X-Env', 'closed']] }), 401);
      t.equal(await status({ target: '/env' }), 404);
    }
    t.ok(decisions() < 18, 'something was remembered');
    const who = upstream.seen.map((seen) => seen.header('x-auth-subject') ?? '');
    t.strictSame(who, ['alice', 'bob', '', 'alice', 'bob', '', 'alice', 'bob', '']);
  },
);

const curlToo = { skip: absent || (programAt('curl') === undefined && 'curl not present') };

t.test('curl authenticates with Digest through nginx, for each request', curlToo, async (t) => {
  const users = userFile(t, digestLines('alice', 'meters', 'wonderland'));
  const digest = { realm: 'meters', users, algorithms: ['SHA-256'] };
  const meters = { id: 'meters', match: { path: '/meters/{rest*}' }, auth: 'digest', digest, access: 'authenticated' };
  const { proxy, upstream } = await open(t, { routes: [meters] });
  const url = `http://127.0.0.1:${proxy.port}/meters/1?a=b`;
  const curl = (password: string) =>
    promisify(execFile)('curl', ['-s', '-i', '--digest', '-u', `alice:${password}`, url, url]).then(
      ({ stdout }) => stdout,
    );
  const right = await curl('wonderland');
  t.strictSame(right.match(/^HTTP\/1\.1 \d+/gm), ['HTTP/1.1 401', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  t.equal(right.match(/^Authentication-Info: .*rspauth=/gim)?.length, 2);
  t.strictSame(
    upstream.seen.map((seen) => [seen.target, seen.header('x-auth-subject'), seen.header('authorization')]),
    [
      ['/meters/1?a=b', 'alice', undefined],
      ['/meters/1?a=b', 'alice', undefined],
    ],
  );
  t.notMatch(await curl('wrong'), 'HTTP/1.1 200');
});

t.test("a client cannot imitate nginx's or Gatehouse's headers", options, async (t) => {
  await spoofed(t, await open(t));
});

t.test(
  "advisory 1, 8, 16, 21, 55, 59: every spelling of a path gets the same decision as at the gateway's own listener",
  options,
  async (t) => {
    const running = await open(t);
    await crossings(t, running);
    await twoHosts(t, running);
  },
);

t.test('if the endpoint is gone, or the gateway does not trust nginx, nothing passes', options, async (t) => {
  const { send, gateway, upstream } = await open(t, { trusted_proxies: ['10.0.0.0/8'] });
  t.equal((await send({ target: '/catalogue/1' })).status, 500);
  await gateway.stop();
  t.equal((await send({ target: '/catalogue/1' })).status, 500);
  t.equal(upstream.seen.length, 0);
});
