import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ForwardEngine } from '../../../../src/gateway/upstreams/engine.ts';
import { openOwn } from '../../../../src/gateway/upstreams/own/own-engine.ts';
import { openRoom, type Room } from '../../../../src/gateway/upstreams/room.ts';
import { until } from '../../../support/until.ts';

interface Upstream {
  readonly url: URL;
  readonly open: Set<Socket>;
  /** Of them at one time, since it was asked last. */
  most(): number;
}

/** Answers every request after so many milliseconds. */
async function upstream(t: Test, milliseconds: number): Promise<Upstream> {
  const open = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.on('data', () =>
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'), milliseconds),
    );
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

function engine(t: Test, { url }: Upstream, room: Room, connections: number): ForwardEngine {
  const opened = openOwn({
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

/** The status, or the code of what went wrong. */
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

const many = (engine: ForwardEngine, count: number) => Promise.all(Array.from({ length: count }, () => ask(engine)));

t.test('a connection that the upstream closed makes no room for another one', async (t) => {
  const [quick, slow] = [await upstream(t, 50), await upstream(t, 300)];
  const room = openRoom(6);
  const [one, other] = [engine(t, quick, room, 6), engine(t, slow, room, 50)];
  t.strictSame(new Set(await many(one, 6)), new Set([200]));
  for (const socket of quick.open) socket.end();
  t.ok(await until(() => quick.open.size === 0));
  slow.most();
  await many(other, 30);
  t.equal(slow.most(), 6);
});

t.test('a connection for which a request of its own waits is not let go for another upstream', async (t) => {
  const [quick, slow] = [await upstream(t, 5), await upstream(t, 100)];
  const room = openRoom(2);
  const [one, other] = [engine(t, quick, room, 4), engine(t, slow, room, 4)];
  const busy = ask(other);
  await pause(20);
  t.equal(await ask(one), 200);
  const both = await Promise.all([ask(one), ask(other)]);
  t.equal(both[0], 200, 'it had a connection');
  await busy;
});

t.test('where there is no room, whoever has connections that are busy waits for one of them', async (t) => {
  const [slow, other] = [await upstream(t, 50), await upstream(t, 3_000)];
  const room = openRoom(4);
  const [waits, holds] = [engine(t, slow, room, 50), engine(t, other, room, 4)];
  const held = ask(holds);
  await pause(50);
  t.strictSame(new Set(await many(waits, 30)), new Set([200]));
  t.equal(slow.most(), 3);
  t.equal(await held, 200);
});

t.test('whoever has none is told that there is no room', async (t) => {
  const [slow, other] = [await upstream(t, 200), await upstream(t, 5)];
  const room = openRoom(2);
  const [holds, has] = [engine(t, slow, room, 2), engine(t, other, room, 2)];
  const held = many(holds, 2);
  await pause(50);
  t.equal(await ask(has), 'NO_ROOM');
  t.strictSame(await held, [200, 200]);
  t.equal(await ask(has), 200, 'and those that rest make room');
});
