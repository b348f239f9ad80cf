import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type ConnectionBudget, connectionBudget } from '../../../../src/gateway/upstreams/connection-budget.ts';
import type { EngineOptions, ForwardEngine } from '../../../../src/gateway/upstreams/engine.ts';
import { openHttpProxy } from '../../../../src/gateway/upstreams/http-proxy-engine.ts';
import { openOwn } from '../../../../src/gateway/upstreams/own/own-engine.ts';
import { until } from '../../../support/until.ts';

interface Upstream {
  readonly url: URL;
  readonly open: Set<Socket>;
  /** The most at one time, since the last call. */
  most(): number;
}

/** Answers every request after so many milliseconds, or when the test says so. */
async function upstream(t: Test, answers: number | Promise<unknown>): Promise<Upstream> {
  const open = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.on('data', async () => {
      await (typeof answers === 'number' ? pause(answers) : answers);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    open,
    most() {
      const told = most;
      most = open.size;
      return told;
    },
  };
}

function engine(
  t: Test,
  { url }: Pick<Upstream, 'url'>,
  room: ConnectionBudget,
  connections: number,
  open: (options: EngineOptions) => ForwardEngine = openOwn,
): ForwardEngine {
  const opened = open({
    url,
    serverName: '127.0.0.1',
    trust: { kind: 'files' },
    connections,
    connectTimeout: 2_000,
    keepAlive: true,
    room,
  });
  t.teardown(() => opened.destroy());
  return opened;
}

/** The status, or the code of the failure. */
function ask(engine: ForwardEngine): Promise<number | string> {
  return new Promise((resolve) => {
    let status = 0;
    engine.dispatch(
      { method: 'GET', path: '/', headers: ['host', 'a'], body: null },
      {
        onConnect() {},
        onHeaders(told) {
          status = told;
          return true;
        },
        onData: () => true,
        onComplete: () => resolve(status),
        onError: (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message),
      },
    );
  });
}

/** An answer may be complete a turn before its stream is closed. */
async function askUntilRoom(engine: ForwardEngine): Promise<number | string> {
  let answer = await ask(engine);
  for (let tries = 0; answer === 'NO_ROOM' && tries < 200; tries++) {
    await pause(10);
    answer = await ask(engine);
  }
  return answer;
}

const many = (engine: ForwardEngine, count: number) => Promise.all(Array.from({ length: count }, () => ask(engine)));

t.test('a connection that the upstream closed frees no room for another one', async (t) => {
  const [quick, slow] = [await upstream(t, 50), await upstream(t, 300)];
  const room = connectionBudget(6);
  const [one, other] = [engine(t, quick, room, 6), engine(t, slow, room, 50)];
  t.strictSame(new Set(await many(one, 6)), new Set([200]));
  for (const socket of quick.open) socket.end();
  t.ok(await until(() => quick.open.size === 0));
  slow.most();
  await many(other, 30);
  t.equal(slow.most(), 6);
});

t.test('a connection for which its own request waits is not closed for another upstream', async (t) => {
  const told = Promise.withResolvers<void>();
  const [quick, slow] = [await upstream(t, 5), await upstream(t, told.promise)];
  const room = connectionBudget(2);
  const [one, other] = [engine(t, quick, room, 4), engine(t, slow, room, 4)];
  const busy = ask(other);
  t.ok(await until(() => slow.open.size === 1));
  t.equal(await ask(one), 200);
  const both = [ask(one), ask(other)];
  t.equal(await both[0], 200, 'it had a connection');
  told.resolve();
  t.strictSame(await Promise.all([busy, both[1]]), [200, 200]);
});

t.test('without room, an upstream with busy connections waits for one of them', async (t) => {
  const told = Promise.withResolvers<void>();
  const [slow, other] = [await upstream(t, 50), await upstream(t, told.promise)];
  const room = connectionBudget(4);
  const [waits, holds] = [engine(t, slow, room, 50), engine(t, other, room, 4)];
  const held = ask(holds);
  t.ok(await until(() => other.open.size === 1));
  t.strictSame(new Set(await many(waits, 30)), new Set([200]));
  t.equal(slow.most(), 3);
  told.resolve();
  t.equal(await held, 200);
});

t.test('if another upstream frees room, a waiting request gets it immediately', async (t) => {
  const [told, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [busy, other] = [await upstream(t, never.promise), await upstream(t, told.promise)];
  const room = connectionBudget(3);
  const [waits, holds] = [engine(t, busy, room, 10), engine(t, other, room, 2)];
  const held = many(holds, 2);
  t.ok(await until(() => other.open.size === 2));
  const asked = [ask(waits), ask(waits)];
  t.ok(await until(() => busy.open.size === 1));
  for (const socket of other.open) socket.destroy();
  t.ok(await until(() => busy.open.size === 2), 'before anything of its own ends');
  never.resolve();
  told.resolve();
  t.strictSame(await Promise.all(asked), [200, 200]);
  await held;
});

t.test('an upstream without connections is told that there is no room', async (t) => {
  const told = Promise.withResolvers<void>();
  const [slow, other] = [await upstream(t, told.promise), await upstream(t, 5)];
  const room = connectionBudget(2);
  const [holds, has] = [engine(t, slow, room, 2), engine(t, other, room, 2)];
  const held = many(holds, 2);
  t.ok(await until(() => slow.open.size === 2));
  t.equal(await ask(has), 'NO_ROOM');
  told.resolve();
  t.strictSame(await held, [200, 200]);
  t.equal(await ask(has), 200, 'and those that rest make room');
});

t.test('an HTTP/2 session without a stream is closed for another upstream', async (t) => {
  const server = createHttp2Server((_request, response) => void response.end('ok'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const other = await upstream(t, 5);
  const room = connectionBudget(1);
  const url = new URL(`http://127.0.0.1:${port}`);
  const [has, wants] = [engine(t, { url }, room, 1, openHttpProxy), engine(t, other, room, 1)];
  t.equal(await ask(has), 200);
  t.equal(await askUntilRoom(wants), 200);
  t.equal(await askUntilRoom(has), 200, 'and the one of the other for this');
});
