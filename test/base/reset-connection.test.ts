import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t from 'tap';
import { resetConnection } from '../../src/base/reset-connection.ts';
import { until } from '../support/until.ts';

/** Two ends of one connection; the other end keeps its side open. */
async function pair(): Promise<{ readonly own: Socket; readonly other: Socket; readonly close: () => void }> {
  const server = createServer({ allowHalfOpen: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const other = connect({ port, allowHalfOpen: true }).on('error', () => {});
  const [own] = (await once(server, 'connection')) as [Socket];
  const close = () => {
    other.destroy();
    server.close();
  };
  return { own: own.on('error', () => {}), other, close };
}

t.test('an open connection is reset', async (t) => {
  const { own, other, close } = await pair();
  const failed = once(other, 'error');
  resetConnection(own);
  t.match(await failed, [{ code: 'ECONNRESET' }]);
  close();
});

t.test('a connection whose own side is just ending is closed, and does not stay open', async (t) => {
  const { own, close } = await pair();
  let isClosed = false;
  own.on('close', () => {
    isClosed = true;
  });
  own.end('the last bytes');
  resetConnection(own);
  t.ok(await until(() => isClosed, 5_000));
  close();
});

t.test('a connection that cannot be reset is destroyed', async (t) => {
  let isDestroyed = false;
  resetConnection({
    destroy: () => {
      isDestroyed = true;
    },
  });
  t.ok(isDestroyed);
});
