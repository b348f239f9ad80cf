import type { FastifyInstance } from 'fastify';
import { lastRequests, stopListening } from '../../base/last-requests.ts';
import type { SilentConnections } from '../../base/silent-connections.ts';
import type { GrpcListener } from '../listener/grpc/grpc-listener.ts';

/** What serves the requests of clients and proxies. */
export interface Serving {
  readonly servers: readonly FastifyInstance[];
  readonly grpc: GrpcListener | undefined;
  readonly silent: readonly SilentConnections[];
}

/**
 * Accepts no more connections, and closes each one once it needs no more answers. Resolves when all have closed.
 * @param milliseconds for which kept connections may bring another request
 */
export async function stopServing({ servers, grpc, silent }: Serving, milliseconds: number): Promise<void> {
  const listeners = [...servers, ...(grpc === undefined ? [] : [grpc])];
  await Promise.all(listeners.map(({ server }) => stopListening(server)));
  await lastRequests(() => silent.some(({ open }) => open > 0), milliseconds);
  for (const each of silent) each.end();
  await Promise.all([...servers.map(drain), grpc?.close()]);
}

/** Closes each idle connection once its answer is out and the current turn brought no more bytes. */
async function drain(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => setImmediate(() => app.server.closeIdleConnections()), 50);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}
