import type { OAuthErrorCode } from '../../oauth/errors.ts';
import type { AnswerError } from '../http/errors.ts';
import type { Service } from '../service/service.ts';

type Errcode = readonly [errcode: number, errmsg: string];

/** The numbers that applications of this exchange test for. Any other refusal has the number for a bad parameter. */
export const errcodes = {
  invalid_grant: [40029, 'invalid code'],
  code_used: [40163, 'code been used'],
  unregistered_client: [40013, 'invalid appid'],
  invalid_client: [40125, 'invalid appsecret'],
  unsupported_grant_type: [40002, 'invalid grant_type'],
  unauthorized_client: [48001, 'api unauthorized'],
  too_many_attempts: [45011, 'api minute-quota reach limit'],
  too_many_requests: [45011, 'api minute-quota reach limit'],
  temporarily_unavailable: [-1, 'system error'],
  server_error: [-1, 'system error'],
} as const satisfies Partial<Record<OAuthErrorCode, Errcode>>;

export const badParameter = 40035;

/** `invalid_grant` in a request without a code. */
export const invalidSignature: Errcode = [87009, 'invalid signature'];

/** RFC 6749 §5.2 JSON. With `session.errors: errcode`, status 200 and a number (`own`: the numbers of this endpoint). */
export function sessionErrors(
  { config }: Service,
  own: Partial<Record<OAuthErrorCode, Errcode>> = {},
): { readonly answerError?: AnswerError } {
  if (config.session.errors === 'oauth') return {};
  const table: Partial<Record<OAuthErrorCode, Errcode>> = { ...errcodes, ...own };
  return {
    answerError(refusal, request, reply) {
      const [errcode, errmsg] = table[refusal.code] ?? [badParameter, refusal.description];
      const retryAfter = refusal.headers['retry-after'];
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      return reply.code(200).type('application/json; charset=utf-8').send({ errcode, errmsg, request_id: request.id });
    },
  };
}
