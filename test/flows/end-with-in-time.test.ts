import t, { type Test } from 'tap';
import { rotate } from '../authorization/user-key-flow.ts';
import { inTime, type Lateness, lateness } from '../support/lateness.ts';
import type { RawClient } from '../support/raw-client.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { accept, ask, bench, webSocket } from './ending-streams.ts';
import type { Running } from './revoked.ts';

/** Waits for streams that end: 8 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const SECOND = 1_000;
/** Text, not masked, of five bytes. */
const hello = Buffer.from('\x81\x05hello', 'latin1');

/** Within a second after the rotation was answered. */
async function closes(t: Test, { measure }: Lateness, service: Running, clients: readonly RawClient[]): Promise<void> {
  await rotate(service);
  const figures = await measure(() => Promise.all(clients.map((client) => client.untilClosed())));
  inTime(t, 'closed within a second', SECOND, figures);
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
