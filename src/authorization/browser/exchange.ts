import type { FastifyReply, FastifyRequest } from 'fastify';

/** One request of a browser, and its reply. */
export interface BrowserExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
