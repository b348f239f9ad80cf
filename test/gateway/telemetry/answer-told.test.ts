import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { UnredactedLine } from '../../../src/base/log.ts';
import type { DecisionRecord } from '../../../src/gateway/telemetry/decision-record.ts';
import { userAgentOf } from '../../../src/gateway/telemetry/without-tokens.ts';
import { asEnvoy, asks, asNginx, asTraefik, type Shape } from '../../support/asking.ts';
import { freePort } from '../../support/free-port.ts';
import { behind, gateway, type TestGateway } from '../../support/gateway.ts';
import { sample } from '../../support/metric-sample.ts';
import { ask, open } from '../../support/raw-client.ts';
import { rawUpstream } from '../../support/raw-upstream.ts';
import { requestText } from '../../support/request-text.ts';
import { collectSpans } from '../../support/spans.ts';
import { jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { type Behaviour, type Witness, witness } from '../../support/witness.ts';
import { headOf } from '../head.ts';

type Line = Record<string, unknown>;

interface Scene extends TestGateway {
  readonly upstream: Witness;
  /** The line of the log about a request to this path. */
  told(path: string): Promise<Line>;
}

async function scene(t: Test, behaviour: Behaviour = {}, changes: object = {}): Promise<Scene> {
  const upstream = await witness(t, behaviour);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', ...changes }));
  return { ...running, upstream, told: (path) => lineOf(running, path) };
}

async function lineOf({ log }: TestGateway, path: string): Promise<Line> {
  await until(() => log.some((line) => line.path === path));
  return log.find((line) => line.path === path) ?? {};
}

t.test('a 500 of the API is logged at warn with its status, and counted in the class 5xx', async (t) => {
  const { url, adminUrl, told } = await scene(t, { status: 500, body: 'broken' });
  t.equal((await fetch(`${url}/public/a`, { method: 'POST', body: 'ab' })).status, 500);
  t.match(await told('/public/a'), { level: 40, code: 'forwarded', method: 'POST', status: 500 });
  const labels = { route: 'public', code: 'forwarded', status_class: '5xx', method: 'POST' };
  t.equal(await sample(adminUrl as string, 'gatehouse_requests_total', labels), 1);
});

t.test('a forwarded request is logged at debug only, with the bytes of both bodies', async (t) => {
  const { url, told } = await scene(t, { status: 201, body: 'x'.repeat(40_000) });
  await (await fetch(`${url}/public/a`, { method: 'PUT', body: 'y'.repeat(300_000) })).text();
  t.match(await told('/public/a'), { level: 20, status: 201, bytes_in: 300_000, bytes_out: 40_000 });
  await fetch(`${url}/public/head`, { method: 'HEAD' });
  t.match(await told('/public/head'), { status: 201, bytes_in: 0, bytes_out: 0 });
});

t.test('a refusal, an outage and an answer of the gateway itself are logged with the status of each', async (t) => {
  const cors = { origins: ['https://app.example'] };
  const { url, told } = await scene(t, {}, { cors });
  const refused = await fetch(`${url}/orders/1`);
  const length = (await refused.text()).length;
  t.match(await told('/orders/1'), { code: 'credential_missing', status: 401, bytes_in: 0, bytes_out: length });
  const token = await jwt({ scope: 'other' }, { alg: 'HS256' });
  await fetch(`${url}/admin/1`, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } });
  t.match(await told('/admin/1'), { code: 'scope_insufficient', status: 403, bytes_out: 0 });
  const asked = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
  t.equal((await fetch(`${url}/orders/2`, { method: 'OPTIONS', headers: asked })).status, 204);
  t.match(await told('/orders/2'), { code: 'answered', status: 204, bytes_out: 0 });
  const closed = await gateway(t, behind(`http://127.0.0.1:${await freePort()}`));
  await fetch(`${closed.url}/public/a`);
  t.match(await lineOf(closed, '/public/a'), { code: 'upstream_unreachable', status: 502 });
});

t.test('a body that was read for the decision counts, and a too long body is logged with the refusal', async (t) => {
  const routes = [
    { id: 'public', match: { path: '/public/{rest*}' }, access: 'public', limits: { body: '1KiB' } },
    { id: 'form', match: { path: '/form' }, scope: 'a', bearer_methods_supported: ['body'] },
  ];
  const { port, told } = await scene(t, {}, { routes });
  const body = `access_token=${await jwt({ scope: 'a' }, { alg: 'HS256' })}`;
  const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
  t.equal((await ask(port, requestText({ method: 'POST', target: '/form', headers, body }))).status, 200);
  t.match(await told('/form'), { code: 'forwarded', status: 200, bytes_in: body.length });
  const chunked = [['Transfer-Encoding', 'chunked']] as const;
  const head = requestText({ method: 'POST', target: '/public/long', headers: chunked });
  const chunk = `800\r\n${'x'.repeat(2048)}\r\n0\r\n\r\n`;
  t.equal((await ask(port, Buffer.concat([head, Buffer.from(chunk)]))).status, 413);
  t.match(await told('/public/long'), { code: 'body_too_large', status: 413 });
});

t.test('a client that left before an answer has no status, in the log, the metric and its span', async (t) => {
  const spans = collectSpans(t);
  const { port, adminUrl, upstream, told } = await scene(t);
  upstream.behaveAtHead(() => {});
  const client = await open(t, port);
  client.send(requestText({ target: '/public/gone' }));
  t.ok(await until(() => upstream.seen.length === 1));
  client.destroy();
  const line = await told('/public/gone');
  t.equal(line.code, 'client_gone');
  t.notOk('status' in line);
  const labels = { code: 'client_gone', status_class: 'none', method: 'GET' };
  t.equal(await sample(adminUrl as string, 'gatehouse_requests_total', labels), 1);
  const server = (await spans.of()).find(({ kind }) => kind === 'server');
  t.notOk('http.response.status_code' in (server?.attributes ?? {}));
});

t.test("a WebSocket has the status 101, and a handshake that the API refuses has the API's status", async (t) => {
  const upgrade = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['Sec-WebSocket-Version', '13'],
  ] as const;
  const upstream = await rawUpstream(t, ({ socket, received }) =>
    socket.write(
      received.includes('/public/no')
        ? 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n'
        : 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    ),
  );
  const running = await gateway(t, behind(upstream.url));
  const client = await open(t, running.port);
  client.send(requestText({ target: '/public/yes', headers: upgrade }));
  t.equal((await client.read())?.status, 101);
  t.match(await lineOf(running, '/public/yes'), { code: 'forwarded', status: 101 });
  await ask(running.port, requestText({ target: '/public/no', headers: upgrade }));
  t.match(await lineOf(running, '/public/no'), { code: 'forwarded', status: 503 });
});

const ways: readonly (readonly [name: string, shape: Shape, missing: number, nowhere: number])[] = [
  // nginx turns every status except 401 and 403 into 500.
  ['nginx', asNginx, 401, 403],
  ['forward-auth', asTraefik, 401, 404],
  ['envoy', asEnvoy, 401, 404],
];

for (const [name, shape, missing, nowhere] of ways)
  t.test(
    `${name}: the logged status is the answer to the proxy that asked, and the body is not forwarded`,
    async (t) => {
      const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
      const running = await scene(t, {}, decision);
      await asks(running, shape({ target: '/public/a' }));
      await asks(running, shape({ target: '/orders/1' }));
      const { body } = await asks(running, shape({ target: '/nowhere' }));
      const passed = await running.told('/public/a');
      t.match(passed, { code: 'forwarded', status: 200, bytes_out: 0 });
      t.notOk('bytes_in' in passed);
      t.match(await running.told('/orders/1'), { code: 'credential_missing', status: missing });
      t.match(await running.told('/nowhere'), { code: 'route_not_found', status: nowhere, bytes_out: body.length });
    },
  );

/** Every member of a line about a request. */
type Member = Exclude<keyof DecisionRecord, keyof UnredactedLine>;
const members: Readonly<Record<Member | 'level' | 'time' | 'msg' | 'worker', true>> = {
  level: true,
  time: true,
  msg: true,
  worker: true,
  request_id: true,
  trace_id: true,
  method: true,
  host: true,
  path: true,
  status: true,
  code: true,
  route: true,
  address: true,
  user_agent: true,
  mcp_method: true,
  mcp_name: true,
  mcp_rule: true,
  tool_digest: true,
  via: true,
  certificate: true,
  subject: true,
  client: true,
  cache: true,
  step: true,
  dependency: true,
  reason: true,
  claim: true,
  found: true,
  expected: true,
  difference: true,
  scope_needed: true,
  scope_held: true,
  scope_missing: true,
  shadow: true,
  shadow_drops: true,
  enforce_drops: true,
  enforce_times_out: true,
  credentials_seen: true,
  key_seen: true,
  bytes_in: true,
  bytes_out: true,
  milliseconds: true,
  verification_ms: true,
  upstream_ms: true,
  upstream_attempts: true,
  detail: true,
};

t.test('docs/production.md names every member of a line about a request', async (t) => {
  const page = readFileSync(new URL('../../../docs/production.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Members of a log line\n');
  const table = section.split('\n## ')[0] ?? '';
  const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  t.strictSame(named.toSorted(), Object.keys(members).toSorted());
});

t.test("a client's own values are logged as one printable line of at most 512 characters", async (t) => {
  const { port, told } = await scene(t);
  const agent = async (path: string, value: string) => {
    await ask(port, requestText({ target: path, headers: [['User-Agent', value]] }));
    return (await told(path)).user_agent;
  };
  t.equal(await agent('/public/a', 'curl/8.5.0'), 'curl/8.5.0');
  t.equal(await agent('/public/b', 'x\x9b2J'), 'x\u{fffd}2J');
  t.equal(await agent('/public/c', 'y'.repeat(5000)), 'y'.repeat(512));
  await ask(port, requestText({ target: '/public/d' }));
  t.notOk('user_agent' in (await told('/public/d')));
});

t.test("a token in it is masked, whatever the spelling of its parameter's name", async (t) => {
  for (const token of [
    'access_token=Hush.Hush',
    'ACCESS%5fTOKEN=Hush',
    'access%255Ftoken%3DHush',
    'access_token = Hush',
    'access_token: Hush',
    'Bearer Hush-Hush',
    `eyJHush.Hush.Hush`,
    'eyJHush.Hush',
  ]) {
    const told = userAgentOf(headOf(['User-Agent', `app/1 (${token}) more`]));
    t.notMatch(told, /Hush/, token);
    t.match(told, /^app\/1 \(.* more$/, token);
  }
  const harmless = 'Mozilla/5.0 (X11; Linux) token accessor';
  t.equal(userAgentOf(headOf(['User-Agent', harmless])), harmless);
});
