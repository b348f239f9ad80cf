import type { FastifyReply, FastifyRequest } from 'fastify';

/** One request of a browser and the answer to it. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
