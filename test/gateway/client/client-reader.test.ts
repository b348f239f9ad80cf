import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { ClientReader } from '../../../src/gateway/client/client-reader.ts';
import { until } from '../../support/until.ts';

/** Milliseconds; a tenth of this is `limits.idle`. */
const IDLE = 100_000;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

interface Served {
  readonly reader: ClientReader;
  /** Of the connection, at the server. */
  readonly socket: Socket;
  readonly client: Socket;
}

/** Writes until the kernel accepts no more, and then the end. */
function writeUntilFull(response: ServerResponse): void {
  response.write(CHUNK);
  if (response.writableLength > 8 * CHUNK.length) response.end();
  else setImmediate(writeUntilFull, response);
}

/** A client that reads nothing. Its answer has ended, but the kernel has not accepted all of it. */
async function unread(t: Test): Promise<Served> {
  const server = createServer((_request, response) => writeUntilFull(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const opened = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  t.teardown(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const [socket] = await opened;
  const reader = new ClientReader(socket, { idle: () => IDLE / 10, isTunnel: () => false });
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  t.ok(await until(() => socket.writableLength > 8 * CHUNK.length));
  return { reader, socket, client };
}

t.test('a client that reads nothing of an ended answer is disconnected at idle, and not before', async (t) => {
  const { reader, socket } = await unread(t);
  reader.check(0);
  reader.check(IDLE - 1);
  t.notOk(socket.destroyed);
  reader.check(IDLE);
  t.ok(socket.destroyed);
});

t.test('its time begins when something waits for it, however long the program has run', async (t) => {
  const { reader, socket } = await unread(t);
  reader.check(10 * IDLE);
  t.notOk(socket.destroyed);
  reader.check(11 * IDLE);
  t.ok(socket.destroyed);
});

t.test('a client that reads a part of it gets the whole time again', async (t) => {
  const { reader, socket, client } = await unread(t);
  reader.check(0);
  const before = socket.writableLength;
  client.on('data', () => {
    if (socket.writableLength < before) client.pause();
  });
  client.resume();
  t.ok(await until(() => socket.writableLength < before));
  reader.check(IDLE);
  reader.check(2 * IDLE - 1);
  t.notOk(socket.destroyed);
});

t.test('the gateway does not wait for a client that has read all of it', async (t) => {
  const { reader, socket, client } = await unread(t);
  reader.check(0);
  client.resume();
  t.ok(await until(() => socket.writableLength === 0));
  reader.check(IDLE);
  reader.check(3 * IDLE);
  t.notOk(socket.destroyed);
});
