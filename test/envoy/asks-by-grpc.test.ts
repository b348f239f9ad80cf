import { once } from 'node:events';
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import t, { type Test } from 'tap';
import { filesIn } from '../docs/cookbook.ts';
import { fronted, gist, type Starts } from '../flows/asked-by.ts';
import { crossings, refusals, spoofed, twoHosts } from '../flows/asked-cases.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { envoy } from './support/envoy.ts';

/** An Envoy starts for each test. */
t.setTimeout(300_000);

const page = 'envoy-grpc.md';
const start: Starts = (t, page, { grpc, upstream }) => envoy(t, page, { gatehouse: `h2:${grpc}`, orders: upstream });
/** The page's routes, and one that requires more than the token of the cases has. */
const routes = [
  ...(filesIn(page)[0]?.values.routes ?? []),
  { id: 'orders-write', match: { methods: ['POST'], path: '/orders/{rest*}' }, scope: 'orders.write' },
];
const open = (t: Test, changes?: object) => fronted(t, page, start, { routes, ...changes });
const options = { skip: skipWithoutPeer('envoy-1.40.0') };
/** Sends requests to Envoy over HTTP/2 without TLS. */
async function overHttp2(t: Test, port: number) {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  t.teardown(() => session.destroy());
  return async (headers: OutgoingHttpHeaders, body?: string) => {
    const stream = session.request({ ':authority': 'api.example.com', ...headers }, { endStream: body === undefined });
    stream.end(body);
    const [told] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    const text = (await stream.setEncoding('utf8').toArray()).join('');
    return { status: told[':status'], code: text.startsWith('{') ? JSON.parse(text).code : undefined };
  };
}

const token = (scope = 'orders.read') => jwt({ scope }, { alg: 'HS256' });

t.test('accepted requests go to the upstream, with the identity and without the token', options, async (t) => {
  const { send, upstream, proxy, gateway } = await open(t);
  const response = await send({ target: '/orders/%7e1?a=b', headers: [bearer(await token())] });
  t.equal(response.status, 200, proxy.log() + JSON.stringify(gateway.log.slice(-2)));
  const [seen] = upstream.seen;
  t.strictSame(
    ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'authorization'].map((name) => seen?.header(name)),
    ['alice', 'shop', 'orders.read', undefined],
  );
  t.equal((await send({ target: '/catalogue/1', headers: [bearer('its-own')] })).status, 200);
  t.equal(upstream.seen[1]?.header('authorization'), 'Bearer its-own', 'on a public route it passes');
});

t.test('every refusal, preflight and document is the same as from the gateway', options, async (t) => {
  const { send, direct, upstream } = await open(t);
  for (const [name, request] of Object.entries(await refusals()))
    t.strictSame(gist(await send(request)), gist(await direct(request)), name);
  t.equal(upstream.seen.length, 0);
});

t.test("a client cannot imitate Envoy's or Gatehouse's headers", options, async (t) => {
  await spoofed(t, await open(t), /^(?!6\.)[0-9.]+$/);
});

t.test("a path arrives exactly as from the gateway's own listener, in every spelling", options, async (t) => {
  const running = await open(t);
  await crossings(t, running);
  await twoHosts(t, running);
});

t.test('a token in the query is removed, and every other byte of the target stays', options, async (t) => {
  const { send, upstream } = await open(t, { bearer_methods_supported: ['header', 'query'] });
  const target = (mine: string) => `/orders/1?a=%2B+%7e&&b${mine}&c=%zz;x=é`.replace('é', '%C3%A9');
  t.equal((await send({ target: target(`&access_token=${await token()}`) })).status, 200);
  t.equal(upstream.seen[0]?.target, target(''));
});

t.test('bytes that are not UTF-8 are judged as Envoy forwards them', options, async (t) => {
  const { proxy, upstream } = await open(t);
  const answer = await overHttp2(t, proxy.port);
  for (const path of ['/catalogue/\xff', '/catalogue/\xc0\xae\xc0\xae/orders/1', '/catalogue/1?a=\xff'])
    t.match(await answer({ ':path': path }), { status: 400, code: 'target_malformed' }, path);
  t.match(await answer({ ':path': '/catalogue/1' }), { status: 200 });
  t.equal(upstream.seen.length, 1);
});

t.test('two Authorization lines are 400, as at the gateway', options, async (t) => {
  const { send, direct, upstream } = await open(t);
  const headers = [bearer(await token()), bearer(await token())];
  for (const each of [headers, [['Authorization', 'Basic YTpi'] as const, ...headers.slice(1)]]) {
    const request = { target: '/orders/1', headers: each };
    t.strictSame(gist(await send(request)), gist(await direct(request)));
  }
  t.equal(upstream.seen.length, 0);
});

t.test('a form of up to max_request_bytes is judged, and a longer one is 413', options, async (t) => {
  const { send, upstream } = await open(t, {
    bearer_methods_supported: ['header', 'body'],
    limits: { form_body: '1MiB' },
  });
  const own = await token('orders.write');
  const post = (body: string, ...headers: (readonly [string, string])[]) =>
    send({
      method: 'POST',
      target: '/orders/1',
      headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...headers],
      body,
    });
  const codeOf = async (sent: ReturnType<typeof post>) => {
    const answer = await sent;
    return answer.status === 200 ? 200 : `${answer.status} ${JSON.parse(String(answer.body)).code}`;
  };
  t.equal(await codeOf(post('a=b', bearer(own))), 200);
  t.equal(await codeOf(post(`access_token=${own}`, bearer(own))), '400 credential_repeated');
  t.equal(await codeOf(post(`access_token=${own}`)), '403 form_token_stays');
  t.equal(await codeOf(post('a='.padEnd(70_000, 'b'), bearer(own))), '413 form_too_large');
  t.strictSame(
    upstream.seen.map(({ body }) => String(body)),
    ['a=b'],
  );
});

t.test('if the gateway is gone, or does not trust Envoy, nothing passes', options, async (t) => {
  const { send, gateway, upstream } = await open(t, { trusted_proxies: ['10.0.0.0/8'] });
  t.equal((await send({ target: '/catalogue/1' })).status, 403);
  await gateway.stop();
  t.equal((await send({ target: '/catalogue/1' })).status, 503);
  t.equal(upstream.seen.length, 0);
});

/** What the page names, in Envoy's access log. */
// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
function withAccessLog(manager: any): void {
  const names = ['code', 'route', 'sub', 'client', 'ticket'];
  const shown = names.map((name) => `${name}=%DYNAMIC_METADATA(envoy.filters.http.ext_authz:${name})%`);
  const log_format = { text_format_source: { inline_string: `DECIDED ${shown.join(' ')}\n` } };
  const type = 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog';
  manager.access_log = [{ name: 'stdout', typed_config: { '@type': type, log_format } }];
}

t.test("Envoy's access log shows what Gatehouse decided", options, async (t) => {
  const logging: Starts = (t, page, { grpc, upstream }) =>
    envoy(t, page, { gatehouse: `h2:${grpc}`, orders: upstream }, withAccessLog);
  const { send, proxy } = await fronted(t, page, logging, { routes });
  t.equal((await send({ target: '/orders/1', headers: [bearer(await token())] })).status, 200);
  const refused = await send({ method: 'POST', target: '/orders/1', headers: [bearer(await token())] });
  const { ticket } = JSON.parse(String(refused.body));
  const lines = () => proxy.log().match(/^DECIDED .*$/gm) ?? [];
  // Envoy flushes its log some seconds later.
  t.ok(await until(() => lines().length === 2), proxy.log());
  t.equal(lines()[0], 'DECIDED code=forwarded route=orders-read sub=alice client=shop ticket=-');
  t.equal(lines()[1], `DECIDED code=scope_insufficient route=orders-write sub=alice client=shop ticket=${ticket}`);
});

t.test('many requests at a time are all judged, over a new connection to the gateway', options, async (t) => {
  const { send, upstream } = await open(t);
  const own = bearer(await token());
  const answers = await Promise.all(Array.from({ length: 400 }, () => send({ target: '/orders/1', headers: [own] })));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.equal(upstream.seen.length, 400);
});
