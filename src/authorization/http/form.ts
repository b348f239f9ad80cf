import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { decodeUtf8 } from '../../base/utf8.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { type ParameterOptions, type Parameters, parseOAuthParameters } from '../../oauth/parameters.ts';
import type { Service } from '../service/service.ts';

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
export function formFault({ raw }: FastifyRequest): OAuthError | undefined {
  const types = formFieldLines(raw, 'content-type');
  const isForm = types.length === 1 && formMediaType.test(types[0] as string);
  if (isForm && formFieldLines(raw, 'content-encoding').length === 0) return undefined;
  return new OAuthError('invalid_request', { description: 'The body must be application/x-www-form-urlencoded.' });
}

export function readForm(
  { config }: Service,
  request: FastifyRequest,
  options?: Omit<ParameterOptions, 'aliases'>,
): Parameters {
  return parseOAuthParameters(formText(request), { ...config.compat, ...options });
}

/** As `readForm`, where what belongs in the form may stand in the query; in both, it occurs twice. */
export function readFormOrQuery(
  { config }: Service,
  request: FastifyRequest,
  options?: Omit<ParameterOptions, 'aliases'>,
): Parameters {
  const text = `${queryOf(request.raw.url ?? '')}&${decode(request.body)}`;
  return parseOAuthParameters(text, { ...config.compat, ...options });
}

/** For a GET, whose query must not contain secrets. */
export function readQuery({ config }: Service, { raw }: FastifyRequest): Parameters {
  refuseSecretsInQuery(raw.url ?? '');
  return parseOAuthParameters(queryOf(raw.url ?? ''), config.compat);
}

/** The form as it was sent, and nothing that belongs in it is in the query. */
export function formText(request: FastifyRequest): string {
  refuseSecretsInQuery(request.raw.url ?? '');
  return decode(request.body);
}

/** RFC 6749 §2.3.1: credentials never stand in the request URI, where logs and proxies keep them. */
function refuseSecretsInQuery(target: string): void {
  if (!target.includes('?')) return;
  for (const name of new URLSearchParams(queryOf(target)).keys()) {
    if (secretNames.has(name))
      throw new OAuthError('invalid_request', { description: 'Send parameters in the body, not in the URI.' });
  }
}

/** What follows the first `?` of a request-target. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

function decode(body: unknown): string {
  if (!Buffer.isBuffer(body)) return '';
  const text = decodeUtf8(body);
  if (text === undefined) throw new OAuthError('invalid_request', { description: 'The form is not UTF-8.' });
  return text;
}

/** The values of a field, one a line of it; `name` in lower case. Node's own `headersDistinct` makes that of every field. */
export function formFieldLines({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] as string;
    if (written.length === name.length && written.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
