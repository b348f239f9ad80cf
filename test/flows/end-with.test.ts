import t, { type Test } from 'tap';
import { jwtOf, rotate, runWithUserKeys } from '../authorization/user-key-flow.ts';
import { behind, gateway } from '../support/gateway.ts';
import { inTime, type Lateness, lateness } from '../support/lateness.ts';
import { open, type RawClient } from '../support/raw-client.ts';
import { answerText, rawUpstream, type Script } from '../support/raw-upstream.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { type Address, follow, type Running } from './revoked.ts';

/** Waits for tokens that expire, and for streams that end with them: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const SECOND = 1_000;
const routes = [
  { id: 'ending', match: { path: '/ending/{rest*}' }, scope: 'orders.read', end_with: 'token' },
  { id: 'lasting', match: { path: '/lasting/{rest*}' }, scope: 'orders.read', end_with: 'request' },
  { id: 'shadow', match: { path: '/shadow/{rest*}' }, scope: 'orders.read', end_with: 'token', mode: 'shadow' },
];

const handshake = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
] as const;
const switching =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';
const accept: Script = ({ socket }) => socket.write(switching);
/** Text, not masked, of five bytes. */
const hello = Buffer.from('\x81\x05hello', 'latin1');

async function bench(t: Test, upstream: Address) {
  const service = await runWithUserKeys(t);
  const running = await follow(t, upstream, service, { file: { routes } });
  const [token, other] = [(await jwtOf(service)).access_token, (await jwtOf(service, 'bob')).access_token];
  return { service, running, token, other };
}

async function ask(
  t: Test,
  port: number,
  target: string,
  token: string,
  more: readonly (readonly [string, string])[] = [],
) {
  const client = await open(t, port);
  client.send(requestText({ target, headers: [bearer(token), ...more] }));
  return client;
}

/** Within a second after the rotation was answered. */
async function closes(t: Test, { measure }: Lateness, service: Running, clients: readonly RawClient[]): Promise<void> {
  await rotate(service);
  const figures = await measure(() => Promise.all(clients.map((client) => client.untilClosed())));
  inTime(t, 'closed within a second', SECOND, figures);
}

async function webSocket(t: Test, port: number, target: string, token: string): Promise<RawClient> {
  const client = await ask(t, port, target, token, handshake);
  const answer = await client.read();
  t.equal(answer?.status, 101);
  return client;
}

t.test(
  'a WebSocket of a revoked token gets a Close frame 1008 after the last whole frame, and its upstream is closed',
  async (t) => {
    const late = await lateness(t);
    const upstream = await rawUpstream(t, accept);
    const { service, running, token, other } = await bench(t, upstream);
    const client = await webSocket(t, running.port, '/ending/live', token);
    const stays = [
      await webSocket(t, running.port, '/ending/live', other),
      await webSocket(t, running.port, '/lasting/live', token),
      await webSocket(t, running.port, '/shadow/live', token),
    ];
    upstream.connections[0]?.socket.write(hello);
    await client.arrived(hello.length);
    // An incomplete frame delays the Close frame until it is whole.
    upstream.connections[0]?.socket.write(hello.subarray(0, 4));
    await client.arrived(hello.length + 4);
    setTimeout(() => upstream.connections[0]?.socket.write(Buffer.concat([hello.subarray(4), hello])), 100);
    await closes(t, late, service, [client]);
    const close = client.unread.subarray(2 * hello.length);
    t.strictSame(client.unread.subarray(0, 2 * hello.length), Buffer.concat([hello, hello]));
    t.strictSame([close[0], close[1], close.readUInt16BE(2)], [0x88, close.length - 2, 1008]);
    t.equal(close.toString('utf8', 4), 'The access token was revoked.');
    t.ok(await until(() => upstream.connections[0]?.closed === true), 'the upstream’s side is closed');
    for (const [index, each] of stays.entries()) {
      upstream.connections[index + 1]?.socket.write(hello);
      await each.arrived(hello.length);
      t.strictSame(each.unread, hello, `stays ${index}`);
    }
  },
);

t.test('a frame that never ends is cut, and no Close frame is written into it', async (t) => {
  const late = await lateness(t);
  const upstream = await rawUpstream(t, accept);
  const { service, running, token } = await bench(t, upstream);
  const client = await webSocket(t, running.port, '/ending/live', token);
  upstream.connections[0]?.socket.write(hello.subarray(0, 4));
  await client.arrived(4);
  await closes(t, late, service, [client]);
  t.strictSame(client.unread, hello.subarray(0, 4));
});

t.test(
  'an event stream and a download of a revoked token are cut within a second, and never look complete',
  async (t) => {
    const late = await lateness(t);
    const upstream = await witness(t);
    const { service, running, token, other } = await bench(t, upstream);
    upstream.behave((request, response) => {
      const isDownload = request.url?.includes('download') === true;
      response.writeHead(200, isDownload ? { 'content-length': '1000000' } : { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write('data: x\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const [events, download] = [
      await ask(t, running.port, '/ending/events', token),
      await ask(t, running.port, '/ending/download', token),
    ];
    const [stays, lasts] = [
      await ask(t, running.port, '/ending/events', other),
      await ask(t, running.port, '/lasting/events', token),
    ];
    for (const client of [events, download, stays, lasts]) await client.arrived(200);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await closes(t, late, service, [events, download]);
    t.notMatch(events.unread.toString(), /\r\n0\r\n\r\n$/);
    t.ok(await until(() => upstream.seen.filter(({ connectionClosed }) => connectionClosed).length === 2));
    const goesOn = (client: RawClient) => {
      const { length } = client.unread;
      return until(() => client.unread.length > length).then((comes) => comes && !client.closed);
    };
    t.ok(await goesOn(stays), 'another token’s goes on');
    t.ok(await goesOn(lasts), 'end_with: request goes on');
  },
);

t.test('a request without an answer yet, and an upload, are refused like the next request', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const { service, running, token } = await bench(t, upstream);
  const waiting = await ask(t, running.port, '/ending/slow', token);
  const upload = await open(t, running.port);
  const head = [bearer(token), ['Content-Length', '1000000']] as const;
  upload.send(requestText({ method: 'POST', target: '/ending/up', headers: head }));
  upload.send('x'.repeat(1000));
  t.ok(await until(() => upstream.connections.length === 2));
  await rotate(service);
  for (const client of [waiting, upload]) {
    const answer = await client.read();
    t.equal(answer?.status, 401);
    t.equal(JSON.parse(answer?.body.toString() ?? '{}').code, 'token_revoked');
    t.match(answer?.header('www-authenticate'), /error="invalid_token"/);
  }
  await upload.untilClosed();
  t.ok(await until(() => upstream.connections.every(({ closed }) => closed)));
});

t.test('an open stream ends at exp', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const exp = Math.floor(Date.now() / 1000) + 5;
  const token = await jwt({ scope: 'orders.read', exp }, { alg: 'HS256' });
  const client = await webSocket(t, port, '/ending/live', token);
  const lasting = await webSocket(t, port, '/lasting/live', token);
  await client.untilClosed();
  const late = Date.now() - exp * 1000;
  // The clock skew would keep it for half a minute more.
  t.ok(late >= 0 && late < 5 * SECOND, `${late} ms`);
  t.equal(client.unread.readUInt16BE(2), 1008);
  t.equal(client.unread.toString('utf8', 4), 'The access token expired.');
  t.notOk(lasting.closed);
});

t.test('requests that end at once leave nothing behind', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(answerText('ok')));
  const { running, token } = await bench(t, upstream);
  for (let index = 0; index < 50; index++) t.equal(await running.said(token, '/ending/x'), '200');
});
