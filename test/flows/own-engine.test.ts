import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask, connectTo } from '../support/raw-client.ts';
import { answerText, type RawConnection, type RawUpstream, rawUpstream, type Script } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';

// What only the own engine decides: which connection a request gets, how long a connection is kept, and the order of
// requests. All other tests use it too, because it is the default.

/** Waits for limits of seconds: 19 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

interface Scene {
  readonly port: number;
  readonly upstream: RawUpstream;
}

async function before(t: Test, script: Script, api: object = {}, more: object = {}): Promise<Scene> {
  const upstream = await rawUpstream(t, script);
  const upstreams = { api: { url: upstream.url, engine: 'own', ...api } };
  const { port } = await gateway(t, behind('', { upstreams, ...more }));
  return { port, upstream };
}

const target = '/public/a';
const get = requestText({ target });
const statusOf = async (port: number) => (await ask(port, get))?.status;
const ok = answerText('ok');

t.test('RFC 9112 §9.3: requests that follow each other use one connection', async (t) => {
  const { port, upstream } = await before(t, ({ socket }) => socket.write(ok));
  for (let i = 0; i < 20; i++) t.equal(await statusOf(port), 200);
  t.equal(upstream.connections.length, 1);
});

t.test('the connection that was used last is used next, so that unneeded ones end', async (t) => {
  const held: RawConnection[] = [];
  const { port, upstream } = await before(t, (connection) => held.push(connection));
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) void statusOf(port).then((status) => statuses.push(status));
  t.ok(await until(() => held.length === 3));
  const last = held[2];
  for (const [index, { socket }] of held.splice(0).entries()) {
    socket.write(ok);
    t.ok(await until(() => statuses.length === index + 1));
  }
  t.same(statuses, [200, 200, 200]);
  for (let i = 0; i < 5; i++) {
    const next = statusOf(port);
    t.ok(await until(() => held.length === 1));
    held.pop()?.socket.write(ok);
    t.equal(await next, 200);
  }
  t.equal(last?.heads, 6);
  t.equal(upstream.connections.length, 3);
});

for (const [said, seconds] of [
  ['Keep-Alive: timeout=3', 2],
  ['Keep-Alive: max=9', 4],
] as const) {
  t.test(`a connection that said \`${said}\` ends after ${seconds} seconds without a request`, async (t) => {
    const { port, upstream } = await before(t, ({ socket }) => socket.write(answerText('ok', { headers: [said] })));
    t.equal(await statusOf(port), 200);
    const start = performance.now();
    t.ok(await until(() => upstream.connections[0]?.closed === true, 3 * seconds * 1000));
    const lasted = (performance.now() - start) / 1000;
    t.ok(lasted > seconds * 0.9 && lasted < seconds * 2, `${lasted.toFixed(2)} s`);
  });
}

for (const said of ['Connection: close', 'Keep-Alive: timeout=1', 'Proxy-Connection: close']) {
  t.test(`a connection that said \`${said}\` carries no other request, even if one waits`, async (t) => {
    const answer = answerText('ok', { headers: [said] });
    const { port, upstream } = await before(t, ({ socket }) => socket.write(answer), { max_connections: 1 });
    t.same(await Promise.all(Array.from({ length: 5 }, () => statusOf(port))), [200, 200, 200, 200, 200]);
    t.same(
      upstream.connections.map(({ heads }) => heads),
      [1, 1, 1, 1, 1],
    );
    t.ok(await until(() => upstream.connections.every(({ closed }) => closed)));
  });
}

t.test('never more connections than `max_connections`: the others wait, and each gets its own answer', async (t) => {
  const open: number[] = [];
  const { port, upstream } = await before(
    t,
    ({ socket, received }, { connections }) => {
      open.push(connections.filter(({ closed }) => !closed).length);
      const path = /^GET (\S+)/m.exec(received.slice(received.lastIndexOf('GET ')))?.[1] ?? '';
      setTimeout(() => socket.write(answerText(path)), 5);
    },
    { max_connections: 3 },
    { limits: { share: 1 } },
  );
  const bodies = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const response = await ask(port, requestText({ target: `/public/${index}` }));
      return response?.body.toString();
    }),
  );
  t.same(
    bodies,
    Array.from({ length: 60 }, (_, index) => `/public/${index}`),
  );
  t.ok(Math.max(...open) <= 3);
  t.equal(upstream.connections.length, 3);
});

t.test('a request that was given up while it waited is never sent, and the next one is', async (t) => {
  const held: (() => void)[] = [];
  const { port, upstream } = await before(t, ({ socket }) => held.push(() => socket.write(ok)), { max_connections: 1 });
  const first = statusOf(port);
  t.ok(await until(() => held.length === 1));
  const leaver = await connectTo(port);
  leaver.send(requestText({ target: '/public/left' }));
  await pause(100);
  leaver.destroy();
  await pause(100);
  const last = statusOf(port);
  held.pop()?.();
  t.ok(await until(() => held.length === 1));
  held.pop()?.();
  t.same(await Promise.all([first, last]), [200, 200]);
  t.equal(upstream.connections.length, 1);
  t.notMatch(upstream.connections[0]?.received, /left/);
});

t.test('a client that leaves while its request waits for a connection frees its place', async (t) => {
  const held: (() => void)[] = [];
  const { port, upstream } = await before(t, ({ socket }) => held.push(() => socket.write(ok)), {
    max_connections: 1,
    max_pending: 2,
  });
  const first = statusOf(port);
  t.ok(await until(() => held.length === 1));
  for (let i = 0; i < 5; i++) {
    const leavers = await Promise.all([connectTo(port), connectTo(port)]);
    leavers[0]?.send(requestText({ target: '/public/left' }));
    // Half of it: what waits with its request is dropped with it.
    leavers[1]?.send(`PUT /public/left HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\nabcde`);
    await pause(50);
    t.equal(await statusOf(port), 503, 'both places are taken');
    for (const leaver of leavers) leaver.destroy();
    await pause(50);
  }
  const waiting = [statusOf(port), statusOf(port)];
  await pause(100);
  t.equal(await statusOf(port), 503, 'those who stay have their places');
  for (let i = 0; i < 3; i++) {
    t.ok(await until(() => held.length === 1));
    held.pop()?.();
  }
  t.same(await Promise.all([first, ...waiting]), [200, 200, 200]);
  t.equal(upstream.connections.length, 1);
  t.notMatch(upstream.connections[0]?.received, /left/);
});

t.test('a request that waited longer than the route allows frees its place too', async (t) => {
  const held: (() => void)[] = [];
  const script: Script = ({ socket }) => held.push(() => socket.write(ok));
  const { port, upstream } = await before(t, script, {
    max_connections: 1,
    max_pending: 1,
    timeout: { response: '400ms' },
  });
  const leaver = await connectTo(port);
  leaver.send('POST /public/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
  t.ok(await until(() => held.length === 1), 'an upload has its connection for as long as it takes');
  for (let i = 0; i < 3; i++) t.equal(await statusOf(port), 504);
  leaver.send('ab');
  t.ok(await until(() => upstream.connections[0]?.received.endsWith('ab') === true));
  held.pop()?.();
  t.equal((await leaver.read({ method: 'POST' }))?.status, 200);
  leaver.destroy();
  t.equal(upstream.connections[0]?.heads, 1);
});

const head = requestText({ method: 'HEAD', target });
const statusOfHead = async (port: number) => (await ask(port, head, { method: 'HEAD' })).status;

for (const announced of ['content-length: 5', 'content-length: 0', 'transfer-encoding: chunked', 'x-nothing: said'])
  t.test(`RFC 9112 §6.3: after a HEAD whose answer says \`${announced}\` its connection is not reused`, async (t) => {
    const { port, upstream } = await before(t, ({ socket }) => socket.write(`HTTP/1.1 200 OK\r\n${announced}\r\n\r\n`));
    for (let i = 0; i < 3; i++) {
      t.equal(await statusOfHead(port), 200);
      t.ok(await until(() => upstream.connections[i]?.closed === true));
    }
    t.strictSame(
      upstream.connections.map(({ heads }) => heads),
      [1, 1, 1],
    );
  });

for (const late of [0, 5, 40, 160])
  t.test(`content that a server sends after a HEAD, ${late} ms late, belongs to no answer`, async (t) => {
    const stray = answerText('stray');
    const { port, upstream } = await before(t, ({ socket, received }) => {
      if (!received.startsWith('HEAD')) socket.write(ok);
      else {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${stray.length}\r\n\r\n`);
        if (late === 0) socket.write(stray);
        else setTimeout(() => socket.write(stray), late);
      }
    });
    for (let i = 0; i < 10; i++) {
      t.equal(await statusOfHead(port), 200);
      const { status, body } = await ask(port, get);
      t.same([status, body.toString()], [200, 'ok']);
    }
    await pause(late);
    t.ok(await until(() => upstream.connections.every(({ received, closed }) => closed || received.startsWith('GET'))));
  });

const MB = 1024 * 1024;

t.test('RFC 9112 §8: an answer whose end arrived while its reader paused is complete for the reader', async (t) => {
  const chunk = `${(MB).toString(16)}\r\n${'x'.repeat(MB)}\r\n`;
  const small = 'a\r\n0123456789\r\n'.repeat(6_000);
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n';
  for (const close of ['', 'connection: close\r\n']) {
    const { port } = await before(t, ({ socket }) =>
      socket.end(`${head}${close}\r\n${chunk.repeat(12)}${small}0\r\n\r\n`),
    );
    const client = await connectTo(port);
    client.send(get);
    client.socket.pause();
    await pause(500);
    client.socket.resume();
    const response = await client.read({ deadline: 20_000 });
    t.ok(response?.complete);
    t.equal(response?.body.length, 12 * MB + 60_000);
    client.destroy();
  }
});

t.test('an upstream that is silent after its reader paused is cut at the idle limit, and not before', async (t) => {
  const idle = 600;
  const { port } = await before(
    t,
    ({ socket }) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${20 * MB}\r\n\r\n${'x'.repeat(10 * MB)}`),
    { timeout: { response: '10s', idle: `${idle}ms` } },
  );
  const client = await connectTo(port);
  client.send(get);
  client.socket.pause();
  await pause(idle * 2.5);
  t.notOk(client.closed);
  const start = performance.now();
  client.socket.resume();
  t.ok(await until(() => client.closed));
  const lasted = performance.now() - start;
  t.ok(lasted > idle * 0.8 && lasted < 15_000, `${Math.round(lasted)} ms`);
  client.destroy();
});

t.test('an upload that always fills the connection is not cut while the upstream reads it', async (t) => {
  // The limit of an upload that is not read is a second more than the time of an answer.
  const [response, limit] = [1_000, 2_000];
  let timer: NodeJS.Timeout | undefined;
  const slowly: Script = ({ socket }) => {
    // Only counts what arrives.
    socket.removeAllListeners('data').pause();
    timer ??= setInterval(() => {
      socket.resume();
      setTimeout(() => socket.pause(), 2);
    }, 30);
  };
  const { port, upstream } = await before(t, slowly, { timeout: { response: `${response}ms`, idle: '10s' } });
  t.teardown(() => clearInterval(timer));
  const client = await connectTo(port);
  client.send(`POST ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const start = performance.now();
  let sent = 0;
  while (performance.now() - start < 3 * limit && !client.closed) {
    client.send(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    sent += 65_536;
    await until(() => client.closed || !client.socket.writableNeedDrain, limit);
  }
  t.notOk(client.closed);
  client.send('0\r\n\r\n');
  clearInterval(timer);
  const socket = upstream.connections[0]?.socket;
  setTimeout(() => socket?.resume(), 10);
  t.ok(await until(() => (socket?.bytesRead ?? 0) > sent));
  socket?.write(ok);
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  client.destroy();
});

t.test('RFC 9112 §9.2: bytes that arrived on a free connection are read before it is reused', async (t) => {
  const { port, upstream } = await before(t, ({ socket }) => socket.write(ok));
  t.equal((await ask(port, get))?.status, 200);
  for (let i = 0; i < 50; i++) {
    const free = upstream.connections.find(({ closed }) => !closed);
    const client = await connectTo(port);
    // Both have arrived when the gateway reads next: this process is the gateway too, and does not read in between.
    free?.socket.write(answerText('stray'));
    client.send(get);
    const response = await client.read();
    t.equal(response?.status, 200);
    t.equal(response?.body.toString(), 'ok');
    client.destroy();
  }
});
