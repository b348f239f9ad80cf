import type { FastifyInstance } from 'fastify';

/**
 * Answers HEAD for an address whose GET opens a stream. The framework would open the stream for HEAD too, and it would take a place
 * until the client leaves.
 */
export function refuseHead(app: FastifyInstance, path: string): void {
  app.head(path, (_request, reply) => reply.code(405).header('allow', 'GET').send());
}
