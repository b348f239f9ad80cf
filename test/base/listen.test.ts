import { type AddressInfo, createServer, type Server } from 'node:net';
import { constants } from 'node:os';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { CannotListen, listen, listenAt } from '../../src/base/listen.ts';
import { exchange } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';

const place = { host: '127.0.0.1', port: 0 };

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Node.js calls this undocumented function of its handle if `accept` fails. */
function failAccept(server: Server): void {
  const { _handle } = server as unknown as { _handle: { onconnection: (status: number) => void } };
  _handle.onconnection(-constants.errno.ENOBUFS);
}

async function plain(t: Test): Promise<Server> {
  const server = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  t.teardown(() => server.close());
  await listenAt(server, place);
  return server;
}

async function framed(t: Test): Promise<Server> {
  const app = Fastify({ forceCloseConnections: true });
  app.get('/a', (_request, reply) => reply.code(204).send());
  t.teardown(() => app.close());
  await listen(app, place);
  return app.server;
}

for (const [name, start] of Object.entries({ plain, framed }))
  t.test(`a connection that cannot be accepted does not end the process: ${name}`, async (t) => {
    const server = await start(t);
    t.doesNotThrow(() => failAccept(server));
    t.equal((await exchange(portOf(server), requestText({ target: '/a' })))?.status, 204, 'the next one is accepted');
  });

t.test('an address in use is an error with the key and a remedy', async (t) => {
  const port = portOf(await plain(t));
  const message = `127.0.0.1:${port} is taken (\`listen\`): stop the program that listens there, or choose another address`;
  await t.rejects(listenAt(createServer(), { host: '127.0.0.1', port }, 'listen'), { message });
  const app = Fastify();
  await t.rejects(listen(app, { host: '127.0.0.1', port }, 'listen'), { message, constructor: CannotListen });
  await app.close();
});
