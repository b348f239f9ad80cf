import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';
import { StorageUnavailable } from '../../storage/engine/errors.ts';
import type { StoreOutage } from '../../storage/engine/store-outage.ts';

export type AnswerError = (refusal: OAuthError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

declare module 'fastify' {
  interface FastifyInstance {
    storeOutage: StoreOutage;
  }
  interface FastifyContextConfig {
    answerError?: AnswerError;
  }
}

/**
 * Answers every error: as RFC 6749 §5.2 JSON, or as a page if the endpoint is for people. `answerStray` answers requests that no
 * endpoint handles.
 */
export function handleErrors(app: FastifyInstance, answerStray: AnswerError): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = recordError(error, request);
    const answer = request.routeOptions.config?.answerError ?? answerJson;
    return (isStray(refusal, request) ? answerStray : answer)(refusal, request, reply);
  });
}

/** The router may find a route although the path has a different spelling, so the code decides too. */
function isStray({ code }: OAuthError, request: FastifyRequest): boolean {
  return request.is404 || code === 'not_found';
}

/** For a program: the endpoints' own form if only the method is wrong, otherwise a problem (RFC 9457). */
export const answerStrayProgram: AnswerError = (refusal, request, reply) =>
  refusal.code === 'method_not_allowed' ? answerJson(refusal, request, reply) : answerProblem(refusal, request, reply);

const answerProblem: AnswerError = ({ status, code, headers, description: detail }, { id: request_id }, reply) => {
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail, code, request_id };
  // Bytes, because the framework would add a charset to the type of a text.
  const body = Buffer.from(JSON.stringify(problem));
  return reply.code(status).headers(headers).type('application/problem+json').send(body);
};

/** The error for the caller. The log has the details. */
export function recordError(error: unknown, request: FastifyRequest): OAuthError {
  const refusal = asOAuthError(error, request);
  request.errorCode = refusal.code;
  record(error, refusal, request);
  return refusal;
}

/** `request_id` finds the request in the log (RFC 6749 §5.2 allows more members). */
const answerJson: AnswerError = (refusal, request, reply) =>
  reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type('application/json; charset=utf-8')
    .send({ ...refusal.body(), request_id: request.id });

function asOAuthError(error: unknown, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof StorageUnavailable) {
    return new OAuthError('temporarily_unavailable', { headers: { 'retry-after': String(error.retryAfter) } });
  }
  if (isCutShort(error, request)) return new OAuthError('invalid_request', { detail: 'the client left' });
  const status = frameworkStatus(error);
  if (status === 413) return new OAuthError('content_too_large', { headers: { connection: 'close' } });
  if (status !== undefined && status < 500) return new OAuthError('invalid_request');
  return new OAuthError('server_error', {
    description: `The service failed. Its log has this error under the request id ${request.id}.`,
  });
}

/** A client that disconnects while it sends its form causes no error of ours, and gets no answer. */
function isCutShort(error: unknown, { raw }: FastifyRequest): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && raw.destroyed && !raw.complete;
}

/** Errors of the framework, such as a body that is too large, have their own status and code. */
function frameworkStatus(error: unknown): number | undefined {
  const isOfFramework =
    error instanceof Error && 'code' in error && String(error.code).startsWith('FST_') && 'statusCode' in error;
  return isOfFramework ? Number(error.statusCode) : undefined;
}

function record(error: unknown, refusal: OAuthError, { log, server }: FastifyRequest): void {
  if (refusal.code === 'server_error') log.error({ err: error }, 'failed');
  else if (!server.storeOutage.met(error)) recordRefusal(refusal, log);
}

function recordRefusal(refusal: OAuthError, log: FastifyRequest['log']): void {
  if (refusal.code === 'temporarily_unavailable') log.warn({ detail: refusal.detail }, 'cannot answer now');
  else log.debug({ error: refusal.code, detail: refusal.detail }, 'refused');
}
