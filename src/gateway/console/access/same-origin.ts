import type { FastifyRequest } from 'fastify';
import { isOwnOrigin, type OwnPages } from '../../../base/refuse-pages.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

export function changesState({ method }: FastifyRequest): boolean {
  return !READS.has(method);
}

/** Why a request that changes something is not from a page of this listener. Undefined: it may pass. */
export interface ForeignCall {
  readonly status: 403 | 415;
  readonly error: string;
}

const FOREIGN: ForeignCall = {
  status: 403,
  error: 'only a page of this listener may send this request: open the console, or use curl without a cookie',
};

const UNKNOWN_FORM: ForeignCall = { status: 415, error: 'send JSON: Content-Type: application/json' };

/**
 * `hasCookie`: the browser adds the credential by itself, so the request must say where it comes from. Old browsers send forms
 * of other sites without `Origin`, but never with JSON.
 */
export function judgeCall(
  request: FastifyRequest,
  own: Pick<OwnPages, 'origin'>,
  { hasCookie, needsJson }: { readonly hasCookie: boolean; readonly needsJson: boolean },
): ForeignCall | undefined {
  const { 'sec-fetch-site': site, origin, 'content-type': type } = request.headers;
  if ((site !== undefined && site !== 'same-origin') || !isOwnOrigin(request.headers, own)) return FOREIGN;
  if (hasCookie && origin === undefined) return FOREIGN;
  const isJson = type === undefined || /^application\/json[ \t]*(?:;|$)/i.test(type);
  return needsJson && !isJson ? UNKNOWN_FORM : undefined;
}
