import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';

/** The body of every answer of the listener that is a refusal or a failure. Some have more members. */
export interface ApiError {
  /** In words, or a word for programs. It repeats nothing of a body or a path, because these may contain a token. */
  readonly error: string;
}

export function sendError(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ error } satisfies ApiError);
}

/** Gives the errors of the framework the same form. Their messages repeat the type of a body at most. */
export function answerErrors(app: FastifyInstance, log: () => Logger): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const { statusCode: status = 500 } = error;
    if (status < 500) return sendError(reply, status, error.message);
    log().error({ err: error }, 'internal error');
    return sendError(reply, 500, 'internal error: see the log of the gateway');
  });
}
