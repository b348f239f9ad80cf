import type { OAuthErrorCode } from '../../oauth/errors.ts';
import type { AnswerError } from '../http/errors.ts';
import { type ErrorKind, errorPage, errorStatus, pageHeaders } from '../pages/pages.ts';
import type { PageContext } from './page-context.ts';

/** The error page for each code. All other codes show the page for a bad request. */
const kinds: Readonly<Partial<Record<OAuthErrorCode, ErrorKind>>> = {
  unknown_client: 'unknown_client',
  invalid_client_document: 'invalid_client_document',
  invalid_client_host: 'invalid_client_host',
  redirect_refused: 'redirect_refused',
  transaction_expired: 'expired_transaction',
  form_forged: 'forged_form',
  too_many_attempts: 'too_many_attempts',
  too_many_requests: 'too_many_attempts',
  temporarily_unavailable: 'unavailable',
  server_error: 'server_error',
  not_found: 'not_found',
  method_not_allowed: 'for_programs',
};

/** The user came here without a request of an application, so no link can lead them away from it. */
const hasLink: ReadonlySet<ErrorKind> = new Set(['not_found', 'for_programs']);

/** Answers with a page instead of JSON. The page shows the id that the request has in the log. */
export function answerErrorsWith({ siteFor, paths }: Pick<PageContext, 'siteFor' | 'paths'>): AnswerError {
  return (refusal, request, reply) => {
    const kind = kinds[refusal.code] ?? 'bad_request';
    const retryAfter = refusal.headers['retry-after'];
    const page = errorPage(siteFor(request), {
      kind,
      code: refusal.code,
      id: request.id,
      ...(kind !== 'server_error' && { detail: refusal.description }),
      ...(hasLink.has(kind) && { account: paths.account }),
      ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
    });
    const status = kind === 'bad_request' ? refusal.status : errorStatus[kind];
    return reply.code(status).headers(refusal.headers).headers(pageHeaders()).send(page);
  };
}
