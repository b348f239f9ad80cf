import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { isConnectionGone } from '../../../../src/gateway/listener/http2/connection-gone.ts';
import { until } from '../../../support/until.ts';

/** Both ends of a connection. The server reads nothing, like Node.js over HTTP/2 during a write. */
async function pair(t: Test): Promise<{ readonly client: Socket; readonly served: Socket }> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [served] = (await accepted) as [Socket];
  t.teardown(() => [client, served].map((socket) => socket.destroy()));
  return { client, served };
}

t.test('a connection that its client has reset is gone, even if nothing reads it', async (t) => {
  const { client, served } = await pair(t);
  t.notOk(isConnectionGone(served));
  client.resetAndDestroy();
  t.ok(await until(() => isConnectionGone(served)));
  t.notOk(served.destroyed, 'Node.js has not noticed');
});

t.test('a connection whose client has only ended its side is not gone', async (t) => {
  const { client, served } = await pair(t);
  client.end();
  await once(client, 'finish');
  const { client: later, served: second } = await pair(t);
  later.resetAndDestroy();
  // Everything that happened after that is visible by now.
  t.ok(await until(() => isConnectionGone(second)));
  t.notOk(isConnectionGone(served));
});

t.test('a destroyed socket has no connection to check', async (t) => {
  const { served } = await pair(t);
  served.destroy();
  t.notOk(isConnectionGone(served));
});
