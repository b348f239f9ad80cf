import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { http2Listen } from '../support/http2-client.ts';
import { frame, http2Frames } from '../support/http2-frames.ts';
import {
  block,
  code,
  DATA,
  END_HEADERS,
  END_STREAM,
  GET,
  GOAWAY,
  HEADERS,
  type Http2RawClient,
  headers,
  http2Raw,
  type Lines,
  POST,
  RST_STREAM,
  WINDOW_UPDATE,
} from '../support/http2-raw-client.ts';
import { ask, exchange } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** A body that does not match its Content-Length is malformed: an error of the stream (RFC 9113 §8.1.1, §5.4.2). */

const PROTOCOL_ERROR = 1;

const said = (length: string): Lines => [...POST, ['content-length', length]];
const data = (stream: number, text: string, flags = 0) => frame(DATA, flags, stream, Buffer.from(text));

/** The writes on a stream. */
type Lie = (stream: number) => readonly (readonly Buffer[])[];

const lies: Readonly<Record<string, Lie>> = {
  'more in one frame that is the last': (id) => [[headers(id, said('5'), 0)], [data(id, '1234567', END_STREAM)]],
  'more in one frame that is not the last': (id) => [[headers(id, said('5'), 0)], [data(id, '1234567')]],
  'more in the second frame': (id) => [[headers(id, said('5'), 0)], [data(id, '12345')], [data(id, '6', END_STREAM)]],
  'more, in one write with its head': (id) => [[headers(id, said('5'), 0), data(id, '1234567', END_STREAM)]],
  'more, and then still more': (id) => [[headers(id, said('5'), 0), data(id, '1234567'), data(id, '1234567')]],
  'more than nothing': (id) => [[headers(id, said('0'), 0)], [data(id, '1', END_STREAM)]],
  'more, padded': (id) => [
    [headers(id, said('5'), 0)],
    [frame(DATA, END_STREAM + 8, id, Buffer.from([3, ...Buffer.from('1234567'), 0, 0, 0]))],
  ],
  'less in one frame': (id) => [[headers(id, said('5'), 0)], [data(id, '123', END_STREAM)]],
  'less, with an empty last frame': (id) => [
    [headers(id, said('5'), 0)],
    [data(id, '123')],
    [data(id, '', END_STREAM)],
  ],
  'less, with trailers': (id) => [[headers(id, said('5'), 0)], [data(id, '123')], [headers(id, [['x-t', '1']])]],
  'a length, and no content': (id) => [[headers(id, said('5'))]],
};

async function scene(t: Test) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, http2Listen()));
  return { upstream, log: running.log, client: await http2Raw(t, running.port) };
}

async function answered(client: Http2RawClient, stream: number): Promise<boolean> {
  return until(() =>
    client.frames.some((each) => each.type === DATA && each.stream === stream && each.flags === END_STREAM),
  );
}

for (const [name, lie] of Object.entries(lies)) {
  t.test(`a wrong length ends its stream, and no other request of the connection: ${name}`, async (t) => {
    const { upstream, client } = await scene(t);
    const { promise: later, resolve: go } = Promise.withResolvers<void>();
    upstream.behaveAtHead((request, response) => void later.then(() => request.resume() && response.end('ok')));
    client.send(headers(1, GET));
    t.ok(await until(() => upstream.seen.length === 1), 'a request is under way');
    for (const bytes of lie(3)) client.send(...bytes);
    const reset = await client.frame(RST_STREAM, 3);
    t.equal(reset && code(reset), PROTOCOL_ERROR);
    go();
    t.ok(await answered(client, 1), 'the one that was under way is answered');
    client.send(headers(5, GET));
    t.ok(await answered(client, 5), 'and so is the next one');
    t.equal(
      client.frames.find(({ type }) => type === GOAWAY),
      undefined,
    );
    t.notOk(upstream.seen.some(({ method, state }) => method === 'POST' && state === 'completed'));
  });
}

t.test('many wrong lengths on one connection end this connection only', async (t) => {
  const { upstream, client } = await scene(t);
  for (let id = 1; id < 1001 && !client.closed; id += 2) client.send(...(lies['more than nothing']?.(id) ?? []).flat());
  t.ok(await client.untilClosed());
  t.ok(upstream.seen.length <= 200, `${upstream.seen.length} upstream`);
});

t.test('a connection error ends the connection, also after a wrong length', async (t) => {
  const { client } = await scene(t);
  client.send(...(lies['more than nothing']?.(1) ?? []).flat());
  t.ok(await client.frame(RST_STREAM, 1));
  client.send(frame(DATA, 0, 0, Buffer.from('of no stream')));
  t.ok(await client.frame(GOAWAY));
  t.ok(await client.untilClosed());
});

t.test('a client that provokes resets without a wrong length ends its connection (CVE-2025-8671)', async (t) => {
  const { client } = await scene(t);
  client.send(headers(1, POST, 0), frame(WINDOW_UPDATE, 0, 1, Buffer.alloc(4)));
  t.ok(await client.untilClosed());
});

/** The header section and content of an answer, on a stream. */
const answer = (stream: number, text: string) =>
  Buffer.concat([
    frame(
      HEADERS,
      END_HEADERS,
      stream,
      block([
        [':status', '200'],
        ['content-length', '2'],
      ]),
    ),
    data(stream, text, END_STREAM),
  ]);

/** Calls back for each frame that arrives. */
function onFrames(socket: Socket, heard: (type: number, stream: number) => void): void {
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 9 && unread.length >= 9 + unread.readUIntBE(0, 3)) {
      heard(unread[3] as number, unread.readUInt32BE(5));
      unread = unread.subarray(9 + unread.readUIntBE(0, 3));
    }
  });
}

t.test(
  'an answer that is longer than its Content-Length is cut, and no other answer of its connection is',
  async (t) => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let connections = 0;
    // The first request waits until the gateway has reset the second one.
    const upstream = await http2Frames(t, (socket) => {
      connections++;
      open();
      onFrames(socket, (type, stream) => {
        if (type === HEADERS) socket.write(answer(stream, stream === 3 ? 'too long' : 'ok'));
        if (type === RST_STREAM) socket.write(answer(1, 'ok'));
      });
    });
    const { port } = await gateway(t, behind(upstream.url, { upstreams: { api: { url: upstream.url, http2: true } } }));
    const first = ask(port, requestText({ target: '/public/held' }));
    await opened;
    const wrong = await exchange(port, requestText({ target: '/public/wrong' }));
    t.notOk(wrong?.status === 200 && wrong.complete, 'it is not whole');
    t.equal((await first).body.toString(), 'ok');
    t.equal((await ask(port, requestText({ target: '/public/next' }))).body.toString(), 'ok');
    t.equal(connections, 1);
  },
);
