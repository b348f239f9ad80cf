import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../oauth/errors.ts';
import { StorageUnavailable } from '../storage/errors.ts';

/** Whatever goes wrong leaves through here, as RFC 6749 §5.2 JSON. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asOAuthError(error, request.id);
  request.errorCode = refusal.code;
  record(error, refusal, request);
  return reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type('application/json; charset=utf-8')
    .send(refusal.body());
}

function asOAuthError(error: unknown, requestId: string): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof StorageUnavailable) {
    return new OAuthError('temporarily_unavailable', { headers: { 'retry-after': String(error.retryAfter) } });
  }
  const status = frameworkStatus(error);
  if (status === 413) return new OAuthError('content_too_large', { headers: { connection: 'close' } });
  if (status !== undefined && status < 500) return new OAuthError('invalid_request');
  return new OAuthError('server_error', { description: `The service failed; its log has this error as ${requestId}.` });
}

/** The framework's own refusals (a body too large, a length that is wrong) carry a status and a code of its own. */
function frameworkStatus(error: unknown): number | undefined {
  const isOfFramework =
    error instanceof Error && 'code' in error && String(error.code).startsWith('FST_') && 'statusCode' in error;
  return isOfFramework ? Number(error.statusCode) : undefined;
}

function record(error: unknown, refusal: OAuthError, { log }: FastifyRequest): void {
  if (refusal.code === 'server_error') log.error({ err: error }, 'failed');
  else if (refusal.code === 'temporarily_unavailable') log.error({ err: error }, 'the store is unavailable');
  else log.debug({ error: refusal.code, detail: refusal.detail }, 'refused');
}
