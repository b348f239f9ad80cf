import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import t, { type Test } from 'tap';
import { upstreamEngines } from '../faults/support/upstream-engines.ts';
import { type CountedUpstream, countedUpstream } from '../support/counted-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask, open, RawClient } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { reloadable } from '../support/reloadable.ts';
import { requestText } from '../support/request-text.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';

/** Starts programs: 44 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

const get = (target: string) => requestText({ target });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

async function readAll(client: RawClient, methods: readonly string[]): Promise<(RawResponse | undefined)[]> {
  const read: (RawResponse | undefined)[] = [];
  for (const method of methods) read.push(await client.read({ method }));
  return read;
}

const bodiesOf = (all: readonly (RawResponse | undefined)[]) => all.map((each) => each?.body.toString());
const statuses = (all: readonly (RawResponse | undefined)[]) => all.map((each) => each?.status);
const begun = ({ events }: CountedUpstream) => events.filter((event) => event.startsWith('begins '));

/** What the process has open. No public API finds the connections of a server in the same process. */
function openHandles(): readonly Socket[] {
  return (process as unknown as { _getActiveHandles(): Socket[] })._getActiveHandles();
}

/** Connections to this port in this process, and how many requests Node's own parser has returned. */
function listener(t: Test, port: number): { readonly sockets: readonly Socket[]; parsed: number } {
  const isHere = ({ localPort, remotePort }: Socket) => localPort === port && remotePort !== undefined;
  const byNode = new Set<Socket>();
  const seen = {
    parsed: 0,
    get sockets() {
      return byNode.size > 0 ? [...byNode] : openHandles().filter(isHere);
    },
  };
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (!isHere(socket)) return;
    byNode.add(socket);
    seen.parsed++;
  };
  subscribe('http.server.request.start', note);
  t.teardown(() => unsubscribe('http.server.request.start', note));
  return seen;
}

for (const { name, block } of upstreamEngines) {
  const inFront = (url: string, changes: object = {}) =>
    behind(url, { upstreams: { api: { url, ...block } }, ...changes });

  t.test(`ten requests in one write are answered in order, one at a time (engine ${name})`, async (t) => {
    const upstream = await countedUpstream(t);
    const { port } = await gateway(t, inFront(upstream.url));
    const client = await open(t, port);
    const targets = numbers(10).map((index) => `/public/${index}`);
    client.send(Buffer.concat(targets.map(get)));
    t.strictSame(bodiesOf(await readAll(client, Array(10).fill('GET'))), targets);
    t.strictSame(
      begun(upstream),
      targets.map((target) => `begins GET ${target}`),
    );
    t.equal(upstream.most, 1);
    client.send(get('/public/again'));
    t.equal((await client.read())?.status, 200, 'the connection serves on');
  });

  t.test(`PUT, DELETE and GET of one resource reach the upstream one after the other (engine ${name})`, async (t) => {
    const upstream = await countedUpstream(t);
    const { port } = await gateway(t, inFront(upstream.url));
    const client = await open(t, port);
    client.send(
      Buffer.concat([
        requestText({ method: 'PUT', target: '/public/a', body: 'one' }),
        requestText({ method: 'DELETE', target: '/public/a' }),
        get('/public/a'),
      ]),
    );
    t.strictSame(statuses(await readAll(client, ['PUT', 'DELETE', 'GET'])), [200, 200, 200]);
    t.strictSame(
      upstream.events,
      ['PUT', 'DELETE', 'GET'].flatMap((method) => [`begins ${method} /public/a`, `ends ${method} /public/a`]),
    );
  });

  t.test(
    `1,280 requests in a pipeline use one place at the upstream, and no request is refused (engine ${name})`,
    async (t) => {
      const upstream = await countedUpstream(t);
      const { port } = await gateway(t, inFront(upstream.url));
      const seen = listener(t, port);
      const client = await open(t, port);
      client.send(Buffer.concat(numbers(1280).map(() => get('/public/held'))));
      t.ok(await until(() => seen.sockets[0]?.isPaused() === true), 'it is read no further');
      const others = await Promise.all(numbers(300).map((index) => ask(port, get(`/public/other/${index}`))));
      t.strictSame(new Set(statuses(others)), new Set([200]));
      t.strictSame(
        begun(upstream).filter((event) => event.endsWith('/held')),
        ['begins GET /public/held'],
      );
      upstream.release();
      upstream.most = 0;
      t.strictSame(new Set(statuses(await readAll(client, Array(1280).fill('GET')))), new Set([200]));
      t.equal(upstream.most, 1);
    },
  );

  for (const behindIt of [0, 5]) {
    for (const way of ['resets', 'ends', 'destroys'] as const) {
      const title = `a client that ${way} its connection is noticed, with ${behindIt} requests behind (engine ${name})`;
      t.test(title, async (t) => {
        const upstream = await countedUpstream(t);
        const { port } = await gateway(
          t,
          inFront(upstream.url, { upstreams: { api: { url: upstream.url, ...block, timeout: { response: '1h' } } } }),
        );
        const client = await open(t, port);
        client.send(Buffer.concat(['held', ...numbers(behindIt)].map((last) => get(`/public/${last}`))));
        t.ok(await until(() => upstream.open === 1));
        if (way === 'resets') client.socket.resetAndDestroy();
        else if (way === 'ends') client.socket.end();
        else client.destroy();
        t.ok(await until(() => upstream.open === 0), 'the exchange under way is given up');
        t.equal((await ask(port, get('/public/other'))).status, 200);
        t.strictSame(
          begun(upstream),
          ['begins GET /public/held', 'begins GET /public/other'],
          'and nothing else begins',
        );
      });
    }
  }

  t.test(`bodies, Expect, HEAD and answers without content in one pipeline (engine ${name})`, async (t) => {
    const upstream = await countedUpstream(t);
    const { port } = await gateway(t, inFront(upstream.url));
    const client = await open(t, port);
    const chunked = requestText({ method: 'POST', target: '/public/2', headers: [['Transfer-Encoding', 'chunked']] });
    client.send(
      Buffer.concat([
        requestText({ method: 'POST', target: '/public/1', body: 'a'.repeat(5000) }),
        Buffer.concat([chunked, Buffer.from(`3\r\nabc\r\n${(3000).toString(16)}\r\n${'b'.repeat(3000)}\r\n0\r\n\r\n`)]),
        requestText({ method: 'HEAD', target: '/public/3' }),
        get('/public/empty'),
        get('/public/unchanged'),
        get('/public/chunked'),
        get('/orders/refused'),
        requestText({ method: 'POST', target: '/orders/refused', body: 'unread' }),
        get('/public/held'),
        requestText({
          method: 'PUT',
          target: '/public/invited',
          headers: [
            ['Expect', '100-continue'],
            ['Content-Length', '200000'],
          ],
        }),
      ]),
    );
    const read = await readAll(client, ['POST', 'POST', 'HEAD', 'GET', 'GET', 'GET', 'GET', 'POST']);
    t.strictSame(statuses(read), [200, 200, 200, 204, 304, 200, 401, 401]);
    t.equal(upstream.bodies.get('/public/1'), 'a'.repeat(5000));
    t.equal(upstream.bodies.get('/public/2'), `abc${'b'.repeat(3000)}`);
    t.ok(await until(() => upstream.open === 1));
    t.equal(client.unread.length, 0, 'nobody is invited before its turn');
    upstream.release();
    t.equal((await client.read())?.body.toString(), '/public/held');
    await client.arrived(25);
    t.equal(client.unread.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    client.send(Buffer.concat([Buffer.from('c'.repeat(200_000)), get('/public/last')]));
    t.strictSame(bodiesOf(await readAll(client, ['PUT', 'GET'])), ['/public/invited', '/public/last']);
    t.equal(upstream.bodies.get('/public/invited')?.length, 200_000);
    t.equal(upstream.most, 1);
  });

  t.test(`large bodies after a request in progress wait at the client (engine ${name})`, async (t) => {
    const upstream = await countedUpstream(t);
    const { port } = await gateway(t, inFront(upstream.url));
    const client = await open(t, port);
    const body = 'x'.repeat(3_000_000);
    client.send(get('/public/held'));
    for (const last of numbers(3)) client.send(requestText({ method: 'POST', target: `/public/${last}`, body }));
    client.send(get('/public/end'));
    t.ok(await until(() => upstream.open === 1));
    upstream.release();
    t.strictSame(bodiesOf(await readAll(client, ['GET', 'POST', 'POST', 'POST', 'GET'])), [
      '/public/held',
      '/public/0',
      '/public/1',
      '/public/2',
      '/public/end',
    ]);
    t.ok(numbers(3).every((last) => upstream.bodies.get(`/public/${last}`) === body));
    t.equal(upstream.most, 1);
  });
}

t.test('HTTP/1.0 with kept connections takes turns as well', async (t) => {
  const upstream = await countedUpstream(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  const headers = [['Connection', 'keep-alive']] as const;
  const targets = numbers(4).map((index) => `/public/${index}`);
  client.send(Buffer.concat(targets.map((target) => requestText({ target, headers, version: 'HTTP/1.0' }))));
  client.send(requestText({ target: '/public/last', version: 'HTTP/1.0' }));
  t.strictSame(bodiesOf(await readAll(client, Array(5).fill('GET'))), [...targets, '/public/last']);
  await client.untilClosed();
  t.equal(upstream.most, 1);
});

for (const [reader, isSwitched] of [
  ['node', false],
  ['auto', true],
] as const)
  t.test(
    `a WebSocket handshake after a request is ${isSwitched ? 'one after its answer' : 'that request without its Upgrade'} (RFC 9110 §7.8, listener ${reader})`,
    async (t) => {
      const upstream = await countedUpstream(t);
      const { port } = await gateway(t, behind(upstream.url, { listener: reader }));
      const client = await open(t, port);
      const headers = [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Version', '13'],
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      ] as const;
      const handshake = requestText({ target: '/public/2', headers });
      client.send(Buffer.concat([get('/public/held'), get('/public/1'), handshake]));
      t.ok(await until(() => upstream.open === 1));
      upstream.release();
      t.strictSame(bodiesOf(await readAll(client, Array(3).fill('GET'))), ['/public/held', '/public/1', '/public/2']);
      t.equal(upstream.headers.get('/public/2')?.upgrade, isSwitched ? 'websocket' : undefined);
      t.equal(upstream.most, 1);
    },
  );

t.test('after an upload that is refused early, nothing counts as a request', async (t) => {
  const upstream = await countedUpstream(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target: '/orders/1', headers: [['Content-Length', '200000']] }));
  const answer = await client.read({ method: 'POST' });
  t.equal(answer?.status, 401);
  t.equal(answer?.header('connection'), 'close');
  client.send(Buffer.concat([Buffer.alloc(200_000, 'x'), get('/public/1'), get('/public/2')]));
  t.equal(await client.read(), undefined);
  t.strictSame(begun(upstream), []);
});

t.test('an answer with close is the last, and waiting requests are dropped', async (t) => {
  const upstream = await countedUpstream(t);
  const { port, stop } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(Buffer.concat([get('/public/held'), get('/public/1'), get('/public/2')]));
  t.ok(await until(() => upstream.open === 1));
  const stopped = stop();
  upstream.release();
  const answer = await client.read();
  t.equal(answer?.body.toString(), '/public/held');
  t.equal(answer?.header('connection'), 'close');
  t.equal(await client.read(), undefined);
  await stopped;
  t.strictSame(begun(upstream), ['begins GET /public/held']);
});

t.test('a waiting request is judged by the rules at its turn', async (t) => {
  const upstream = await countedUpstream(t);
  const running = await reloadable(t, behind(upstream.url));
  const client = await open(t, running.port);
  client.send(Buffer.concat([get('/public/held'), get('/public/1')]));
  t.ok(await until(() => upstream.open === 1));
  const routes = [{ id: 'closed', match: { path: '/public/{rest*}' }, scope: 'admin' }];
  t.equal((await running.take(behind(upstream.url, { admin: '127.0.0.1:0', routes }))).ok, true);
  upstream.release();
  t.strictSame(statuses(await readAll(client, ['GET', 'GET'])), [200, 401]);
});

const PADDED = 1_250;
const SIZE = 8 * 1024;
/**
 * After the request in progress: 64 KiB that wait, what was read together with the last of them, and an incomplete
 * body.
 */
const MOST_READ = 2 * 64 * 1024 + SIZE;
const padded = (index: number) =>
  requestText({ target: `/public/${index}`, headers: [['X-Padding', 'x'.repeat(SIZE)]] });
const small = (index: number) => requestText({ method: 'POST', target: `/public/${index}`, body: 'x'.repeat(SIZE) });

async function secure(t: Test, port: number): Promise<RawClient> {
  const ca = readFileSync(tlsFile('authority.crt'));
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca });
  t.teardown(() => socket.destroy());
  await new Promise((done) => socket.once('secureConnect', done));
  return new RawClient(socket);
}

const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
const transports = [
  { over: 'TCP', connect: open, listen: {} },
  { over: 'TLS', connect: secure, listen: { listen: { host: '127.0.0.1', port: 0, tls } } },
] as const;

for (const { over, connect, listen } of transports) {
  for (const [what, text] of [
    ['without content', padded],
    ['with content', small],
  ] as const) {
    t.test(`of 10 MB in a pipeline over ${over}, ${what}, 64 KiB wait here and the rest at the client`, async (t) => {
      const upstream = await countedUpstream(t);
      const { port } = await gateway(t, behind(upstream.url, listen));
      const seen = listener(t, port);
      const client = await connect(t, port);
      client.send(Buffer.concat([get('/public/held'), ...numbers(PADDED).map(text)]));
      t.ok(await until(() => upstream.open === 1));
      const [socket] = seen.sockets;
      if (socket === undefined) return void t.fail('no connection');
      t.ok(await until(() => socket.isPaused()), 'it is read no further');
      t.ok(socket.bytesRead >= 64 * 1024, 'not before 64 KiB are here');
      const sizes = numbers(PADDED).map((index) => text(index).length);
      let end = get('/public/held').length;
      let most = socket.bytesRead - end;
      let index = 0;
      upstream.began = () => {
        end += sizes[index++] ?? 0;
        most = Math.max(most, socket.bytesRead - end);
      };
      upstream.release();
      t.equal((await client.read())?.body.toString(), '/public/held');
      const bodies = bodiesOf(await readAll(client, Array(PADDED).fill('GET')));
      t.strictSame(
        bodies,
        numbers(PADDED).map((index) => `/public/${index}`),
        'all are answered, in their order',
      );
      t.equal(index, PADDED);
      t.ok(most <= MOST_READ, `${most} bytes at most wait`);
      t.equal(upstream.most, 1);
    });
  }
}

/** The counter of Node's parser shows this. Our own listener keeps bytes, and parses them at their turn. */
const parsedByNode = { listener: 'node' };

/** One read of a connection, of the shortest requests, each of which counts as 2 KiB. */
const shortest = Buffer.from('GET /public/held HTTP/1.1\r\nHost:a\r\n\r\n');
const MOST_PARSED = 1 + 32 + Math.ceil((64 * 1024) / shortest.length);
const SHORT = 6_000;

for (const { over, connect, listen } of transports) {
  t.test(`of ${SHORT} of the shortest requests over ${over}, 32 wait here, plus what one read returns`, async (t) => {
    const upstream = await countedUpstream(t);
    const { port } = await gateway(t, behind(upstream.url, { ...listen, ...parsedByNode }));
    const seen = listener(t, port);
    const client = await connect(t, port);
    client.send(Buffer.alloc(SHORT * shortest.length, shortest));
    t.ok(await until(() => upstream.open === 1 && seen.sockets[0]?.isPaused() === true));
    let most = seen.parsed;
    let begun = 1;
    upstream.began = () => {
      most = Math.max(most, seen.parsed - begun++);
    };
    upstream.release();
    const answers = await readAll(client, Array(SHORT).fill('GET'));
    t.strictSame(new Set(statuses(answers)), new Set([200]));
    t.ok(most <= MOST_PARSED, `${most} requests at most wait`);
    t.ok(most >= 32, `${most} requests`);
    t.equal(upstream.most, 1);
  });
}

t.test('waiting requests stay within their limit while a large answer is read slowly', async (t) => {
  const upstream = await countedUpstream(t);
  const { port } = await gateway(t, behind(upstream.url));
  const seen = listener(t, port);
  const client = await open(t, port);
  const requests = [get('/public/large'), ...numbers(PADDED).map(padded)];
  let [begun, end] = [0, 0];
  // The system may hold the rest of the large answer, and then the next request begins before the client reads that rest.
  upstream.began = () => {
    end += requests[begun++]?.length ?? 0;
  };
  client.send(Buffer.concat(requests));
  t.ok(await until(() => seen.sockets.length === 1));
  const [socket] = seen.sockets;
  let most = 0;
  let left = 8 * 1024 * 1024;
  while (left > 0) {
    await client.arrived(Math.min(left, 64 * 1024));
    left -= client.unread.length;
    client.unread = Buffer.alloc(0);
    most = Math.max(most, (socket?.bytesRead ?? 0) - end);
    client.socket.pause();
    await new Promise((turn) => setImmediate(turn));
    client.socket.resume();
  }
  t.ok(most <= MOST_READ, `${most} bytes`);
  client.destroy();
});

for (const isWhole of [true, false]) {
  const title = isWhole
    ? 'a head of which we read no more is not late'
    : 'a head that is not whole when nothing waits any more is late';
  t.test(title, async (t) => {
    const upstream = await countedUpstream(t);
    const { port } = await gateway(t, behind(upstream.url, { limits: { headers_timeout: '2s' }, ...parsedByNode }));
    const seen = listener(t, port);
    const client = await open(t, port);
    client.send(Buffer.concat([get('/public/held'), ...numbers(7).map(padded)]));
    t.ok(await until(() => seen.parsed === 8));
    client.send(Buffer.concat([padded(7), padded(8).subarray(0, 1000)]));
    t.ok(await until(() => seen.sockets[0]?.isPaused() === true));
    const other = await open(t, port);
    other.send('GET / HTTP/1.1\r\n');
    t.equal((await other.read())?.status, 408, 'a head that began later is late');
    if (isWhole) client.send(Buffer.concat([padded(8).subarray(1000), padded(9)]));
    upstream.release();
    const count = isWhole ? 11 : 9;
    t.strictSame(new Set(statuses(await readAll(client, Array(count).fill('GET')))), new Set([200]));
    if (isWhole) return;
    t.equal((await client.read())?.status, 408);
    await client.untilClosed();
    t.equal(begun(upstream).length, 9);
  });
}

t.test('a connection loss over TLS while a large answer is read slowly is not reported as malformed', async (t) => {
  const upstream = await countedUpstream(t);
  const { port } = await gateway(t, behind(upstream.url, { listen: { host: '127.0.0.1', port: 0, tls } }));
  const seen = listener(t, port);
  const client = await secure(t, port);
  client.send(get('/public/large'));
  await client.arrived(1);
  client.socket.pause();
  const [socket] = seen.sockets;
  t.ok(await until(() => socket?.writableNeedDrain === true));
  client.send(
    Buffer.concat(numbers(60).map((index) => requestText({ target: `/public/${index}`, body: 'x'.repeat(1000) }))),
  );
  t.ok(await until(() => seen.parsed > 1));
  client.socket.resume();
  t.equal((await client.read())?.complete, true);
  const rest: RawResponse[] = [];
  while (rest.length < 60) {
    const answer = await client.read();
    if (answer === undefined) break;
    rest.push(answer);
  }
  t.comment(`${rest.length} of 60 answers`);
  t.strictSame(
    bodiesOf(rest),
    rest.map((_, index) => `/public/${index}`),
  );
});

interface Fault {
  readonly name: string;
  readonly bytes: string | Buffer;
  /** The answer at its turn; undefined: the connection just ends. */
  readonly status: number | undefined;
}

const faults: readonly Fault[] = [
  { name: 'no request', bytes: 'GARBAGE\r\n\r\n', status: 400 },
  {
    name: 'a head that is too large',
    bytes: `GET /public/3 HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
    status: 431,
  },
  {
    name: 'a chunk that is none',
    bytes: 'POST /public/3 HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n',
    status: 400,
  },
  {
    name: 'CONNECT',
    bytes: 'CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\nhello',
    status: 405,
  },
];

for (const { name, bytes, status } of faults) {
  for (const first of ['held', 'large'] as const) {
    t.test(`${name} after requests in progress gets its turn after their answers (${first})`, async (t) => {
      const upstream = await countedUpstream(t);
      const { port } = await gateway(t, behind(upstream.url));
      const client = await open(t, port);
      const whole = [get(`/public/${first}`), requestText({ method: 'POST', target: '/public/2', body: 'two' })];
      client.send(Buffer.concat([...whole, Buffer.from(bytes as string)]));
      t.ok(await until(() => begun(upstream).length > 0));
      client.send('and more\r\n\r\n');
      upstream.release();
      const answers = await readAll(client, ['GET', 'POST', 'GET']);
      t.strictSame(statuses(answers), [200, 200, status]);
      t.ok(answers.every((answer) => answer?.complete === true));
      t.equal(answers[2]?.header('connection'), 'close');
      await client.untilClosed();
      t.equal(client.unread.length, 0);
      t.strictSame(begun(upstream), [`begins GET /public/${first}`, 'begins POST /public/2']);
      t.equal(upstream.bodies.get('/public/2'), 'two');
    });
  }
}

for (const [name, bytes] of [
  ['garbage', 'GARBAGE\r\n\r\n'],
  ['one byte', 'x'],
  ['a request', get('/public/2')],
  ['half a megabyte', 'x'.repeat(512 * 1024)],
] as const) {
  t.test(
    `Connection: close with ${name} after it is answered, and the bytes that follow are ignored (RFC 9112 §9.6)`,
    async (t) => {
      const upstream = await countedUpstream(t);
      const { port } = await gateway(t, behind(upstream.url));
      const client = await open(t, port);
      const seen = listener(t, port);
      const request = requestText({ target: '/public/held', headers: [['Connection', 'close']] });
      client.send(Buffer.concat([request, Buffer.from(bytes as string)]));
      t.ok(await until(() => upstream.open === 1));
      client.send(bytes);
      const sent = request.length + 2 * bytes.length;
      t.ok(await until(() => seen.sockets[0]?.bytesRead === sent), 'it is read all the same');
      upstream.release();
      const answer = await client.read();
      t.equal(answer?.body.toString(), '/public/held');
      t.equal(answer?.header('connection'), 'close');
      t.equal(await client.read(), undefined, 'and nothing else');
      t.strictSame(begun(upstream), ['begins GET /public/held']);
    },
  );
}

t.test('1 MiB of ignored bytes is read, and then the connection is not read any more', async (t) => {
  const upstream = await countedUpstream(t);
  const { port } = await gateway(t, behind(upstream.url));
  const seen = listener(t, port);
  const client = await open(t, port);
  client.send(requestText({ target: '/public/held', headers: [['Connection', 'close']] }));
  t.ok(await until(() => upstream.open === 1));
  client.send(Buffer.alloc(32 * 1024 * 1024, 'x'));
  const [socket] = seen.sockets;
  t.ok(await until(() => socket?.isPaused() === true));
  const read = socket?.bytesRead ?? 0;
  t.ok(read > 1024 * 1024 && read <= (1024 + 256) * 1024, `${read} bytes`);
  client.destroy();
});

t.test('the gateway notices that a client leaves, even after bytes that it should not have sent', async (t) => {
  const upstream = await countedUpstream(t);
  const { port } = await gateway(
    t,
    behind(upstream.url, { upstreams: { api: { url: upstream.url, timeout: { response: '1h' } } } }),
  );
  for (const bytes of ['GARBAGE\r\n\r\n', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n']) {
    for (const way of ['end', 'destroy'] as const) {
      const client = await open(t, port);
      client.send(Buffer.concat([get('/public/held'), get('/public/never'), Buffer.from(bytes)]));
      t.ok(await until(() => upstream.open === 1));
      client.socket[way]();
      t.ok(await until(() => upstream.open === 0), `${bytes.slice(0, 7)}, ${way}`);
    }
  }
  t.notOk(upstream.events.includes('begins GET /public/never'));
});
