import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../oauth/errors.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import type { Service } from './service.ts';

/** The charsets are those in which a form, ASCII by construction, reads the same. */
const formMediaType =
  /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset=("?)(utf-8|us-ascii|iso-8859-1)\2[ \t]*)?$/i;

const secretNames: ReadonlySet<string> = new Set([
  'client_id',
  'app_id',
  'appid',
  'client_secret',
  'app_secret',
  'appsecret',
  'secret',
  'client_assertion',
  'token',
  'access_token',
  'refresh_token',
  'code',
  'js_code',
  'code_verifier',
  'password',
  'subject_token',
  'assertion',
]);

/** Judged before the body is read, by the whole header and nothing less: `a; b` tricks end here. */
export function requireForm({ raw }: FastifyRequest): void {
  const { 'content-type': types = [], 'content-encoding': encodings = [] } = raw.headersDistinct;
  if (types.length === 1 && formMediaType.test(types[0] as string) && encodings.length === 0) return;
  throw new OAuthError('invalid_request', { description: 'The body must be application/x-www-form-urlencoded.' });
}

export function readForm({ config }: Service, request: FastifyRequest): Parameters {
  refuseSecretsInQuery(request.raw.url ?? '');
  return parseParameters(decode(request.body), config.compat);
}

/** RFC 6749 §2.3.1: credentials never stand in the request URI, where logs and proxies keep them. */
function refuseSecretsInQuery(target: string): void {
  const mark = target.indexOf('?');
  if (mark === -1) return;
  for (const name of new URLSearchParams(target.slice(mark + 1)).keys()) {
    if (secretNames.has(name))
      throw new OAuthError('invalid_request', { description: 'Parameters belong in the body, not in the URI.' });
  }
}

function decode(body: unknown): string {
  if (!Buffer.isBuffer(body)) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new OAuthError('invalid_request', { description: 'The form is not UTF-8.' });
  }
}
