import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { frame } from '../support/http2-frames.ts';
import {
  block,
  CONTINUATION,
  code,
  DATA,
  END_STREAM,
  type Frame,
  GET,
  GOAWAY,
  goawayCode,
  HEADERS,
  type Http2RawClient,
  headers,
  http2Raw,
  type Lines,
  PING,
  POST,
  RST_STREAM,
  reset,
  SETTINGS,
  WINDOW_UPDATE,
} from '../support/http2-raw-client.ts';
import { until, within } from '../support/until.ts';
import { type Witness, witness } from '../support/witness.ts';

/** Frames that no client with a library would send. */

/** Sends frames by the hundred thousand: 41 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

async function scene(t: Test, limits: object = {}) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { ...http2Listen(), limits }));
  return { ...running, upstream };
}

const without = (name: string) => GET.filter(([each]) => each !== name);
const instead = (name: string, value: string): Lines => GET.map((line) => (line[0] === name ? [name, value] : line));

const PROTOCOL_ERROR = 1;

/** RFC 9113 §8.1.1. */
const malformed: Readonly<Record<string, Lines>> = {
  'a field name in upper case': [...GET, ['X-Upper', 'a']],
  Connection: [...GET, ['connection', 'close']],
  'Transfer-Encoding: chunked': [...GET, ['transfer-encoding', 'chunked']],
  'Upgrade: h2c': [...GET, ['upgrade', 'h2c']],
  'Keep-Alive': [...GET, ['keep-alive', '1']],
  'Proxy-Connection': [...GET, ['proxy-connection', 'close']],
  'TE with another word than trailers': [...GET, ['te', 'gzip']],
  'a pseudo-header behind a field': [['x-a', 'b'], ...GET],
  'a pseudo-header twice': [...GET, [':path', '/public/b']],
  'an unknown pseudo-header': [...GET, [':foo', 'b']],
  'a pseudo-header of answers': [...GET, [':status', '200']],
  ':protocol, which nobody offered (RFC 8441)': [
    [':method', 'CONNECT'],
    [':protocol', 'websocket'],
    ...without(':method'),
  ],
  'no :path': without(':path'),
  'an empty :path': instead(':path', ''),
  'a :path that is no path': instead(':path', 'http://api.example.com/public/a'),
  'a space in :path': instead(':path', '/public/a HTTP/1.1'),
  'a line break in :path': instead(':path', '/public/a\r\nx-a: b'),
  'no :scheme': without(':scheme'),
  'neither :authority nor Host': without(':authority'),
  'a line break in :authority': instead(':authority', 'api.example.com\r\nx-a: b'),
  'a user in :authority': instead(':authority', 'admin@api.example.com'),
  'a space in :method': instead(':method', 'GET /admin'),
  'Host twice': [...without(':authority'), ['host', 'api.example.com'], ['host', 'other.example.com']],
  'Content-Length twice': [...GET, ['content-length', '0'], ['content-length', '0']],
  'a Content-Length that no body follows': [...GET, ['content-length', '5']],
  'a negative Content-Length': [...GET, ['content-length', '-1']],
};

t.test('a malformed head resets its stream, reaches no upstream, and the next stream is served', async (t) => {
  const { port, upstream } = await scene(t);
  const client = await http2Raw(t, port);
  let stream = 1;
  for (const [name, lines] of Object.entries(malformed)) {
    client.send(headers(stream, lines));
    const answer = await client.frame(RST_STREAM, stream);
    t.equal(answer && code(answer), PROTOCOL_ERROR, name);
    stream += 2;
  }
  t.equal(upstream.seen.length, 0);
  client.send(headers(stream, GET));
  t.ok(await client.frame(DATA, stream));
  t.equal(upstream.seen.length, 1);
});

t.test('a field that HTTP/1.1 could not carry is neither matched nor forwarded', async (t) => {
  const { port, upstream } = await scene(t);
  const client = await http2Raw(t, port);
  const odd: Lines = [
    ['x-a', 'a\r\nx-injected: b'],
    ['x-a', 'a\0b'],
    ['x a', 'b'],
    ['x-a:', 'b'],
    ['', 'b'],
  ];
  client.send(headers(1, [...GET, ...odd, ['x-plain', 'kept']]));
  t.ok(await client.frame(DATA, 1));
  const [seen] = upstream.seen;
  t.equal(seen?.header('x-plain'), 'kept');
  t.strictSame(
    seen?.rawHeaders.filter((text) => /x-a|x a|injected|^$/.test(text)),
    [],
  );
});

t.test('no extended CONNECT and no push are offered, and at most a hundred streams at a time', async (t) => {
  const { port } = await scene(t);
  const client = await http2Raw(t, port);
  const { payload } = (await client.frame(SETTINGS)) as Frame;
  const settings = new Map<number, number>();
  for (let at = 0; at < payload.length; at += 6) settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
  t.equal(settings.get(3), 100, 'MAX_CONCURRENT_STREAMS');
  t.equal(settings.get(8), undefined, 'ENABLE_CONNECT_PROTOCOL');
  t.ok((settings.get(6) ?? 0) >= 16_384, 'MAX_HEADER_LIST_SIZE');
});

t.test('a body that is longer or shorter than its Content-Length never completes upstream', async (t) => {
  const { port, upstream } = await scene(t);
  const lines: Lines = [...POST, ['content-length', '5']];
  for (const body of ['1234567', '123']) {
    const client = await http2Raw(t, port);
    client.send(headers(1, lines, 0));
    await pause(50);
    client.send(frame(DATA, END_STREAM, 1, Buffer.from(body)));
    const answer = await client.frame(RST_STREAM, 1);
    t.ok(client.closed || (answer && code(answer)) === PROTOCOL_ERROR, body);
  }
  await pause(100);
  t.notOk(upstream.seen.some(({ state }) => state === 'completed'));
});

t.test('a body whose stream is reset, with an error or without, never completes upstream', async (t) => {
  const { port, upstream } = await scene(t);
  for (const error of [0, 1, 2, 8]) {
    upstream.forget();
    const client = await http2Raw(t, port);
    client.send(headers(1, POST, 0), frame(DATA, 0, 1, Buffer.from('half')));
    t.ok(await until(() => upstream.seen[0]?.bytes === 4));
    client.send(reset(1, error));
    t.ok(await until(() => upstream.seen[0]?.state !== 'open'));
    t.strictSame(
      upstream.seen.map(({ state }) => state),
      ['aborted'],
      `code ${error}`,
    );
    client.send(headers(3, GET));
    t.ok(await client.frame(DATA, 3), 'the connection goes on');
  }
});

t.test('a stream that is reset while its answer is on the way affects nothing else, whatever its method', async (t) => {
  const { port, upstream, log } = await scene(t);
  const client = await http2Raw(t, port);
  let stream = 1;
  for (const method of ['GET', 'HEAD', 'POST', 'CONNECT'])
    for (const flags of [0, END_STREAM])
      for (const error of [0, 8])
        for (const delay of [0, 5, 20]) {
          upstream.behave({ delay });
          const lines: Lines =
            method === 'CONNECT'
              ? [
                  [':method', method],
                  [':authority', 'a'],
                ]
              : [[':method', method], ...GET.slice(1)];
          client.send(headers(stream, lines, flags));
          await pause(delay === 20 ? 5 : 0);
          client.send(reset(stream, error));
          stream += 2;
        }
  await pause(100);
  upstream.behave({});
  client.send(headers(stream, GET));
  t.ok(await client.frame(DATA, stream));
  t.strictSame(
    log.filter(({ level }) => (level as number) >= 50),
    [],
  );
});

t.test('trailers of a request are dropped, as over HTTP/1.1, and its body is whole', async (t) => {
  const { port, upstream } = await scene(t);
  const client = await http2Raw(t, port);
  client.send(headers(1, POST, 0), frame(DATA, 0, 1, Buffer.from('whole')), headers(1, [['x-sum', '1']]));
  t.ok(await client.frame(DATA, 1));
  t.match(upstream.seen, [{ state: 'completed', bytes: 5, trailers: [] }]);
});

const streamOf = (index: number) => 2 * index + 1;
const overflow = Buffer.from([0x7f, 0xff, 0xff, 0xff]);

interface Flood {
  readonly first?: readonly Buffer[];
  readonly each: (index: number) => readonly Buffer[];
  /** After so many the connection ends. */
  readonly most: number;
}

/** What nghttp2 counts, and the limits that we set. */
const floods: Readonly<Record<string, Flood>> = {
  'streams that are given up at once (CVE-2023-44487)': {
    each: (index) => [headers(streamOf(index), GET), reset(streamOf(index))],
    most: 500,
  },
  'streams that we are made to reset by an overflowing window (CVE-2025-8671)': {
    each: (index) => [headers(streamOf(index), POST, 0), frame(WINDOW_UPDATE, 0, streamOf(index), overflow)],
    most: 500,
  },
  'streams that we are made to reset by a window of nothing (CVE-2025-8671)': {
    each: (index) => [headers(streamOf(index), POST, 0), frame(WINDOW_UPDATE, 0, streamOf(index), Buffer.alloc(4))],
    most: 500,
  },
  'malformed heads': {
    each: (index) => [headers(streamOf(index), [...GET, ['connection', 'x']])],
    most: 500,
  },
  'CONTINUATION without an end (CVE-2024-27316, CVE-2024-27983)': {
    first: [frame(HEADERS, END_STREAM, 1, block(GET))],
    each: () => [frame(CONTINUATION, 0, 1, block([['x-a', 'b']]))],
    most: 20,
  },
  'empty CONTINUATION (CVE-2019-9518)': {
    first: [frame(HEADERS, END_STREAM, 1, block(GET))],
    each: () => [frame(CONTINUATION, 0, 1)],
    most: 20,
  },
  'empty DATA (CVE-2019-9518)': {
    first: [headers(1, POST, 0)],
    each: () => [frame(DATA, 0, 1)],
    most: 1000,
  },
  'more streams than are allowed': {
    each: (index) => [headers(streamOf(index), POST, 0)],
    most: 500,
  },
};

/** In pieces, so that the gateway sees each of them separately. */
async function pour(client: Http2RawClient, { first = [], each, most }: Flood): Promise<number> {
  client.send(...first);
  let sent = 0;
  for (; sent < most && !client.closed; await pause(1)) {
    for (const end = sent + 10; sent < end; sent++) client.send(...each(sent));
  }
  return sent;
}

for (const [name, flood] of Object.entries(floods)) {
  t.test(`a flood ends its own connection, and no other: ${name}`, async (t) => {
    const { port, upstream, log } = await scene(t);
    const other = await http2Client(t, port);
    const client = await http2Raw(t, port);
    const sent = await pour(client, flood);
    t.ok(await client.untilClosed(), `after ${sent} at the most`);
    t.ok(upstream.seen.length <= flood.most, `${upstream.seen.length} upstream`);
    t.equal((await askHttp2(other, { ':path': '/public/a' })).status, 200);
    t.strictSame(
      log.filter(({ level }) => (level as number) >= 50),
      [],
    );
  });
}

t.test('the upstream sees no flood of streams that are given up, either (CVE-2023-44487)', async (t) => {
  const { port, upstream } = await scene(t);
  upstream.behaveAtHead(() => {});
  const client = await http2Raw(t, port);
  let index = 0;
  while (index < 2000 && !client.closed) {
    const batch = Array.from({ length: 20 }, () => streamOf(index++));
    client.send(...batch.map((stream) => headers(stream, GET)));
    await pause(3);
    client.send(...batch.map((stream) => reset(stream)));
  }
  t.ok(await client.untilClosed());
  t.ok(upstream.seen.length < 400, `${upstream.seen.length} upstream`);
});

t.test('resets that a client spreads over time are not a flood', async (t) => {
  const { port, upstream } = await scene(t);
  upstream.behaveAtHead(() => {});
  const client = await http2Raw(t, port);
  for (let i = 0; i < 100; i++) {
    client.send(headers(streamOf(i), GET));
    await pause(2);
    client.send(reset(streamOf(i)));
  }
  await pause(50);
  upstream.behave({});
  client.send(headers(streamOf(100), GET));
  t.ok(await client.frame(DATA, streamOf(100)));
});

t.test('a connection that breaks the protocol gets an error, is counted, and ends', async (t) => {
  const upstream = await witness(t);
  const { port, adminUrl } = await gateway(t, { ...behind(upstream.url, http2Listen()), admin: '127.0.0.1:0' });
  const client = await http2Raw(t, port);
  client.send(frame(DATA, 0, 0, Buffer.from('nothing')));
  const goaway = await client.frame(GOAWAY);
  t.equal(goaway && goawayCode(goaway), PROTOCOL_ERROR);
  t.ok(await client.untilClosed());
  t.match(
    await counted(adminUrl),
    /gatehouse_requests_total\{[^}]*code="message_malformed"[^}]*status_class="none"[^}]*\} 1\n/,
  );
});

async function counted(adminUrl: string | undefined): Promise<string> {
  return (await fetch(`${adminUrl}/metrics`)).text();
}

t.test('bytes that are not HTTP/2 end the connection that negotiated it', async (t) => {
  const { port } = await scene(t);
  const { connect } = await import('node:tls');
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write('GET /public/a HTTP/1.1\r\nHost: api.example.com\r\n\r\n');
  await within(new Promise((done) => socket.once('close', done)), 20_000, 'an end');
  t.notOk(Buffer.concat(chunks).includes('HTTP/1.1 200'));
});

/** Time limits of the connection itself. */
const quick = { headers_timeout: '1s', idle: '2s' };

async function lifetime(client: Http2RawClient, during?: () => void): Promise<number> {
  const start = performance.now();
  const timer = setInterval(() => during?.(), 200);
  await client.untilClosed();
  clearInterval(timer);
  return performance.now() - start;
}

t.test('a connection without a request ends at headers_timeout, whatever else it sends', async (t) => {
  const { port } = await scene(t, quick);
  const silent = await http2Raw(t, port);
  const pinging = await http2Raw(t, port);
  const stuck = await http2Raw(t, port);
  // Only CONTINUATION may follow it, so its settings are acknowledged before.
  await stuck.frame(SETTINGS);
  await pause(50);
  stuck.send(frame(HEADERS, END_STREAM, 1, block(GET)));
  const times = await Promise.all([
    lifetime(silent),
    lifetime(pinging, () => pinging.send(frame(PING, 0, 0, Buffer.alloc(8)))),
    lifetime(stuck),
  ]);
  for (const time of times) t.ok(time > 500 && time < 15_000, `${Math.round(time)} ms`);
  t.equal(goawayCode((await silent.frame(GOAWAY)) as Frame), 0);
});

t.test('a connection without another request ends at idle, whatever else it sends', async (t) => {
  const { port } = await scene(t, quick);
  const client = await http2Raw(t, port);
  client.send(headers(1, GET));
  t.ok(await client.frame(DATA, 1));
  const time = await lifetime(client, () => client.send(frame(PING, 0, 0, Buffer.alloc(8))));
  t.ok(time > 1500 && time < 15_000, `${Math.round(time)} ms`);
});

t.test('a request that takes longer than idle does not end the connection', async (t) => {
  const { port, upstream } = await scene(t, quick);
  upstream.behave({ delay: 5000 });
  const client = await http2Raw(t, port);
  client.send(headers(1, GET));
  t.ok(await client.frame(DATA, 1));
});

t.test('settings that are never acknowledged end the connection (RFC 9113 §6.5.3)', async (t) => {
  const { port, upstream } = await scene(t, quick);
  upstream.behaveAtHead(() => {});
  const client = await http2Raw(t, port, { acknowledges: false });
  client.send(headers(1, GET));
  const goaway = await client.frame(GOAWAY);
  t.equal(goaway && goawayCode(goaway), 4);
  t.ok(await client.untilClosed());
});

t.test('answers that a client never reads end at idle (CVE-2019-9511, CVE-2019-9517)', async (t) => {
  const { port, upstream } = await scene(t, quick);
  const client = await http2Raw(t, port);
  // INITIAL_WINDOW_SIZE 0: heads may arrive, bodies may not.
  client.send(frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])));
  await pause(50);
  for (let i = 0; i < 50; i++) client.send(headers(streamOf(i), GET));
  t.ok(await client.frame(RST_STREAM, 1));
  t.equal(upstream.seen.length, 50);
  t.ok(await client.untilClosed());
  t.notOk(client.frames.some(({ type }) => type === DATA));
});

/** More than the buffers of both ends of a connection hold. */
const LARGE = 48 * 2 ** 20;

/** Opens the windows of a client for all of a large answer on stream 3, and reads nothing of it. */
async function stopReading(t: Test, client: Http2RawClient, upstream: Witness): Promise<void> {
  upstream.behave((_request, response) => void response.end(Buffer.alloc(LARGE)));
  const wide = Buffer.from([0x7f, 0xff, 0, 0]);
  client.send(frame(WINDOW_UPDATE, 0, 0, wide), headers(3, GET), frame(WINDOW_UPDATE, 0, 3, wide));
  t.ok(await client.frame(DATA, 3));
  client.socket.pause();
}

t.test('a client that stops reading its connection is ended, although no reset can reach it', async (t) => {
  const { port, upstream } = await scene(t, quick);
  const client = await http2Raw(t, port);
  await stopReading(t, client, upstream);
  await pause(7000);
  client.socket.resume();
  t.ok(await client.untilClosed());
  t.notOk(
    client.frames.some(({ type, flags, stream }) => type === DATA && stream === 3 && flags === END_STREAM),
    'it was over before it was read',
  );
  t.equal(await client.frame(RST_STREAM, 3), undefined);
});

t.test('a reset that waits for a slow reader ends no other stream of the connection', async (t) => {
  const { port, upstream } = await scene(t, { idle: '6s' });
  const client = await http2Raw(t, port);
  // Stream 1 has no window, so it is reset at `idle`. By then, much before it is still unread.
  client.send(frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])), headers(1, GET));
  t.ok(await client.frame(HEADERS, 1));
  await pause(4500);
  await stopReading(t, client, upstream);
  await pause(4500);
  client.socket.resume();
  t.ok(await client.frame(RST_STREAM, 1));
  const taken = () => client.frames.filter(({ type, stream }) => type === DATA && stream === 3);
  t.ok(await until(() => taken().some(({ flags }) => flags === END_STREAM)), 'the large answer is whole');
  t.equal(
    taken().reduce((sum, { payload }) => sum + payload.length, 0),
    LARGE,
  );
});

/** A head at a limit, and one byte or line above it. */
async function statusOf(port: number, t: Test, more: Record<string, string>): Promise<number | string | undefined> {
  const session = await http2Client(t, port);
  const answer = await askHttp2(session, { ':path': '/public/a', ...more });
  session.close();
  return answer.status ?? `reset ${answer.reset}`;
}

t.test('heads above header_size or header_count are 431, heads far above them are reset', async (t) => {
  const { port, upstream } = await scene(t);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v']));
  // Target, `host` with its value, and the name of the field.
  const rest = '/public/a'.length + 'hostapi.example.com'.length + 'x-big'.length;
  t.equal(await statusOf(port, t, { 'x-big': 'x'.repeat(16 * 1024 - rest - 1) }), 200);
  t.equal(await statusOf(port, t, { 'x-big': 'x'.repeat(16 * 1024 - rest) }), 431);
  t.equal(await statusOf(port, t, many(99)), 200);
  t.equal(await statusOf(port, t, many(100)), 431);
  t.equal(await statusOf(port, t, { 'x-big': 'x'.repeat(50_000) }), 431);
  t.match(await statusOf(port, t, many(1000)), /^reset/);
  t.equal(upstream.seen.length, 2);
});
