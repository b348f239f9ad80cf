import type { FastifyReply, FastifyRequest } from 'fastify';

/** One request of a browser and the answer to it. */
export interface BrowserExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
