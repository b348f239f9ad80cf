import type { FastifyInstance } from 'fastify';
import { lastRequests, stopListening } from '../../base/last-requests.ts';
import type { SilentConnections } from '../../base/silent-connections.ts';
import type { GrpcListener } from '../listener/grpc/grpc-listener.ts';
import type { Queue } from '../listener/http1/accept-queues.ts';

/** Everything of a gateway that serves requests. */
export interface Serving {
  /** The server for clients is the first one. */
  readonly servers: readonly FastifyInstance[];
  /** Sockets that also accept connections for the server for clients. */
  readonly queues: readonly Queue[];
  readonly grpc: GrpcListener | undefined;
  readonly silent: readonly SilentConnections[];
}

/**
 * Accepts no more connections, and closes each one once it needs no more answers. Resolves when all have closed.
 * @param milliseconds for which kept connections may bring another request
 */
export async function stopServing(serving: Serving, milliseconds: number): Promise<void> {
  const { servers, queues, grpc, silent } = serving;
  const listeners = [...servers, ...queues, ...(grpc === undefined ? [] : [grpc])];
  await Promise.all(listeners.map(({ server }) => stopListening(server)));
  await lastRequests(() => silent.some(({ open }) => open > 0), milliseconds);
  for (const each of silent) each.end();
  const queued = queues.map(({ closed }) => closed);
  await Promise.all([...servers.map((app, index) => drain(app, index === 0 ? queued : [])), grpc?.close()]);
}

/**
 * Closes each idle connection once its answer is out and the current turn brought no more bytes. `queued`: the ends of the
 * sockets that also accept connections for the server.
 */
async function drain(app: FastifyInstance, queued: readonly Promise<unknown>[]): Promise<void> {
  const sweep = setInterval(() => setImmediate(() => app.server.closeIdleConnections()), 50);
  try {
    await Promise.all([app.close(), ...queued]);
  } finally {
    clearInterval(sweep);
  }
}
