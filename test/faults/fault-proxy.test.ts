import { createHash } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { inTime, lateness } from '../support/lateness.ts';
import { until } from '../support/until.ts';
import { type Fault, type FaultProxy, faultProxy } from './support/fault-proxy.ts';

interface Seen {
  text: string;
  chunks: string[];
  /** Milliseconds to the first byte. */
  first: number;
  ended: boolean;
  error: string | undefined;
  closed: boolean;
}

/** Echoes what it gets, and ends when the client does. */
async function echo(t: Test): Promise<{ url: string; open: () => number }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.pipe(socket);
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, open: () => sockets.size };
}

function client(t: Test, { port }: FaultProxy, send = ''): { socket: Socket; seen: Seen } {
  const seen: Seen = { text: '', chunks: [], first: 0, ended: false, error: undefined, closed: false };
  const start = performance.now();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  socket.on('data', (chunk) => {
    if (seen.text === '') seen.first = performance.now() - start;
    seen.text += chunk.toString('latin1');
    seen.chunks.push(chunk.toString('latin1'));
  });
  socket.on('end', () => {
    seen.ended = true;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen.error = error.code;
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  if (send !== '') socket.write(send);
  t.teardown(() => socket.destroy());
  return { socket, seen };
}

async function under(t: Test, fault: Fault, send = 'hello') {
  const target = await echo(t);
  const proxy = await faultProxy(t, target.url);
  await proxy.set(fault);
  return { target, proxy, ...client(t, proxy, send) };
}

test('without a fault bytes and ends pass both ways, and are counted', async (t) => {
  const { proxy, socket, seen } = await under(t, {});
  t.ok(await until(() => seen.text === 'hello'));
  socket.end();
  t.ok(await until(() => seen.ended && seen.closed));
  t.equal(seen.error, undefined);
  t.strictSame(proxy.bytes, { request: 5, answer: 5 });
  t.ok(await until(() => proxy.open === 0));
  t.equal(proxy.connections, 1);
});

test('megabytes pass unchanged, also with slices and jitter', async (t) => {
  const sent = Buffer.alloc(3 * 1024 * 1024, 'the same bytes, in the same order; ');
  for (const fault of [{}, { request: { slice: 10_000 }, answer: { jitter: 3, slice: 7001 } }]) {
    const { socket, seen } = await under(t, fault, '');
    socket.end(sent);
    t.ok(await until(() => seen.closed));
    const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
    t.equal(digest(Buffer.from(seen.text, 'latin1')), digest(sent));
  }
});

test("a delay counts from each piece's arrival: two pieces do not wait twice", async (t) => {
  const { measure } = await lateness(t);
  const { seen, socket } = await under(t, { answer: { delay: 300 } });
  const figures = await measure(async () => {
    await pause(100);
    socket.write('again');
    t.ok(await until(() => seen.text === 'helloagain'));
  });
  t.ok(seen.first >= 295, `${seen.first}`);
  inTime(t, 'both are there before one could have waited twice', 600, figures);
});

test('slices arrive one by one, in order', async (t) => {
  const began = performance.now();
  const { seen } = await under(t, { answer: { slice: 2, pause: 100 } }, 'abcdefg');
  t.ok(await until(() => seen.text === 'abcdefg'));
  const took = performance.now() - began;
  t.ok(took >= 295, `a pause before each but the first: ${took}`);
  // A late reader reads two of them at once, and never half of one.
  const told = seen.chunks.join();
  t.ok(
    seen.chunks.slice(0, -1).every(({ length }) => length % 2 === 0),
    told,
  );
  t.comment(told);
});

test('RST after N bytes gives at most N bytes and an error; FIN after N gives exactly N bytes and an end', async (t) => {
  const reset = await under(t, { answer: { resetAfter: 3 } });
  t.ok(await until(() => reset.seen.closed));
  t.equal(reset.seen.error, 'ECONNRESET');
  t.ok('hel'.startsWith(reset.seen.text));
  const ended = await under(t, { answer: { endAfter: 3 } });
  t.ok(await until(() => ended.seen.ended));
  t.equal(ended.seen.text, 'hel');
  t.equal(ended.seen.error, undefined);
  const cut = await under(t, { request: { resetAfter: 2 } });
  t.ok(await until(() => cut.seen.closed));
  t.equal(cut.seen.error, 'ECONNRESET');
  t.ok(await until(() => cut.target.open() === 0));
});

test('for an open connection, N bytes count from the switch', async (t) => {
  const { proxy, socket, seen } = await under(t, {});
  t.ok(await until(() => seen.text === 'hello'));
  await proxy.set({ answer: { endAfter: 3 } });
  socket.write('again');
  t.ok(await until(() => seen.ended));
  t.equal(seen.text, 'helloaga');
});

test('a closed proxy refuses connections, resets open ones, and reopens at the same port', async (t) => {
  const { proxy, seen } = await under(t, {});
  t.ok(await until(() => seen.text === 'hello'));
  const { port } = proxy;
  await proxy.set({ door: 'refuse' });
  const refused = client(t, proxy);
  t.ok(await until(() => refused.seen.closed && seen.closed));
  t.equal(refused.seen.error, 'ECONNREFUSED');
  t.equal(seen.error, 'ECONNRESET');
  await proxy.mend();
  t.equal(proxy.port, port);
  const after = client(t, proxy, 'after');
  t.ok(await until(() => after.seen.text === 'after'));
});

test('a full queue answers no SYN, keeps open connections, and can be emptied', async (t) => {
  const { proxy, socket, seen } = await under(t, {});
  t.ok(await until(() => seen.text === 'hello'));
  await proxy.set({ door: 'never accept' });
  let connected = false;
  const waiting = client(t, proxy, 'late');
  waiting.socket.on('connect', () => {
    connected = true;
  });
  socket.write('!');
  t.ok(await until(() => seen.text === 'hello!'));
  await pause(400);
  t.notOk(connected);
  t.equal(waiting.seen.error, undefined);
  await proxy.mend();
  const after = client(t, proxy, 'after');
  t.ok(await until(() => after.seen.text === 'after'));
});

test('a black hole accepts connections and bytes and answers none, also after earlier answers', async (t) => {
  const { proxy, target, socket, seen } = await under(t, {});
  t.ok(await until(() => seen.text === 'hello'));
  await proxy.set({ door: 'black hole' });
  socket.write('again');
  const fresh = client(t, proxy, 'fresh');
  await pause(200);
  t.equal(seen.text, 'hello');
  t.equal(fresh.seen.text, '');
  t.strictSame([seen.closed, fresh.seen.closed, fresh.seen.error], [false, false, undefined]);
  t.equal(target.open(), 1);
  await proxy.mend();
  t.ok(await until(() => seen.closed && fresh.seen.closed), 'what is stuck is reset');
});

test('half-open: the target is gone and the client gets no notice', async (t) => {
  const { proxy, target, socket, seen } = await under(t, {});
  t.ok(await until(() => seen.text === 'hello'));
  await proxy.set({ door: 'half-open' });
  t.ok(await until(() => target.open() === 0));
  socket.write('again');
  await pause(200);
  t.strictSame([seen.text, seen.ended, seen.error], ['hello', false, undefined]);
});

test('RST or FIN comes immediately after a connection is accepted', async (t) => {
  const reset = await under(t, { door: 'reset' });
  t.ok(await until(() => reset.seen.closed));
  t.equal(reset.seen.error, 'ECONNRESET');
  const ended = await under(t, { door: 'end' });
  t.ok(await until(() => ended.seen.ended));
  t.equal(ended.seen.text, '');
});

test('garbage is the same in every run, has the given length, and works on new and old connections', async (t) => {
  const first = await under(t, { door: 'garbage', garbage: 100 });
  t.ok(await until(() => first.seen.ended));
  t.equal(first.seen.text.length, 100);
  const second = await under(t, {});
  t.ok(await until(() => second.seen.text === 'hello'));
  await second.proxy.set({ door: 'garbage', garbage: 100 });
  second.socket.write('x');
  t.ok(await until(() => second.seen.ended));
  t.equal(second.seen.text, `hello${first.seen.text}`);
});

test('one direction alone can be held', async (t) => {
  const { proxy, socket, seen } = await under(t, { answer: { hold: true } });
  await pause(100);
  t.strictSame([seen.text, proxy.bytes.request], ['', 5]);
  await proxy.mend();
  t.ok(await until(() => seen.closed), 'an answer that lost bytes is no answer');
  socket.destroy();
});

test("the proxy's URL differs from the target's only in the port", async (t) => {
  const proxy = await faultProxy(t, 'postgres://user:secret@127.0.0.1/base');
  t.equal(proxy.url, `postgres://user:secret@127.0.0.1:${proxy.port}/base`);
  t.equal(proxy.through('https://localhost:1/a?b=c'), `https://localhost:${proxy.port}/a?b=c`);
});
