import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ASKED_FOR, listen, type Place, requireFree } from '../../../base/listen.ts';
import { FrontedServer } from './front.ts';

/**
 * Listening sockets at one address. In each turn of the event loop, Node.js accepts one connection from each socket. With one
 * socket, a client that connects together with hundreds of others waits for hundreds of turns.
 */
const QUEUES = 8;

/** A listening socket beside the server's own. Its connections are the server's connections. */
export interface Queue {
  readonly server: Server;
  /** Resolves once the socket and all of its connections have closed. */
  readonly closed: Promise<unknown>;
}

export interface QueuedListener {
  readonly url: string;
  readonly queues: readonly Queue[];
}

/**
 * Listens with several sockets if our own listener serves the connections and the system has such sockets. Otherwise, listens
 * with one. `key`: the key of the address in the file.
 * @throws CannotListen also if another program listens there: sockets that share an address would not notice it
 */
export async function listenInQueues(app: FastifyInstance, place: Place, key: string): Promise<QueuedListener> {
  const { server } = app;
  const alone = async () => ({ url: await listen(app, place, key), queues: [] });
  if (!(server instanceof FrontedServer)) return alone();
  await requireFree(place, key);
  const url = await listen(app, place, key, { reusePort: true }).catch(() => undefined);
  return url === undefined ? alone() : { url, queues: await openQueues(server) };
}

async function openQueues(server: FrontedServer): Promise<readonly Queue[]> {
  const opening = Array.from({ length: QUEUES - 1 }, () => openQueue(server));
  const opened = await Promise.allSettled(opening);
  return opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

async function openQueue(server: FrontedServer): Promise<Queue> {
  const own = server.address();
  if (own === null || typeof own === 'string') throw new Error('the server does not listen at a port');
  // As Node's HTTP server accepts connections.
  const queue = createServer({ allowHalfOpen: true, noDelay: true, ...ASKED_FOR });
  queue.listen({ host: own.address, port: own.port, reusePort: true });
  await once(queue, 'listening');
  queue.on('connection', (socket) => server.emit('connection', socket));
  // Node's code reports these events at the socket that accepted the connection.
  for (const event of ['error', 'clientError']) queue.on(event, (...told) => server.emit(event, ...told));
  return { server: queue, closed: once(queue, 'close') };
}
