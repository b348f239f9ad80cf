import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { decodeUtf8 } from '../../base/utf8.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { type ParameterOptions, type Parameters, parseOAuthParameters } from '../../oauth/parameters.ts';
import type { Service } from '../service/service.ts';

/** The accepted charsets. A form is ASCII, so it reads the same in all of them. */
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

/** Checks the complete header before the body is read. Tricks such as `a; b` fail here. */
export function formFault({ raw }: FastifyRequest): OAuthError | undefined {
  const types = formFieldLines(raw, 'content-type');
  const isForm = types.length === 1 && formMediaType.test(types[0] as string);
  if (isForm && formFieldLines(raw, 'content-encoding').length === 0) return undefined;
  return new OAuthError('invalid_request', { description: 'The body must be application/x-www-form-urlencoded.' });
}

/** RFC 9112 §6.3: without a length and without a coding, there is no body. */
export function hasNoBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding, 'content-type': type } = headers;
  return Number(length) === 0 && coding === undefined && type === undefined;
}

export function readForm(
  { config }: Service,
  request: FastifyRequest,
  options?: Omit<ParameterOptions, 'aliases'>,
): Parameters {
  return parseOAuthParameters(formText(request), { ...config.compat, ...options });
}

/** Like `readForm`, but a parameter may also be in the query. A parameter in both places counts as a duplicate. */
export function readFormOrQuery(
  { config }: Service,
  request: FastifyRequest,
  options?: Omit<ParameterOptions, 'aliases'>,
): Parameters {
  const text = `${queryOf(request.raw.url ?? '')}&${decode(request.body)}`;
  return parseOAuthParameters(text, { ...config.compat, ...options });
}

/** For a GET. Its query must not contain secrets. */
export function readQuery({ config }: Service, { raw }: FastifyRequest): Parameters {
  refuseSecretsInQuery(raw.url ?? '');
  return parseOAuthParameters(queryOf(raw.url ?? ''), config.compat);
}

/** The form as sent. The query must not contain its parameters. */
export function formText(request: FastifyRequest): string {
  refuseSecretsInQuery(request.raw.url ?? '');
  return decode(request.body);
}

/** RFC 6749 §2.3.1: the request URI must not contain credentials, because logs and proxies store it. */
function refuseSecretsInQuery(target: string): void {
  if (!target.includes('?')) return;
  for (const name of new URLSearchParams(queryOf(target)).keys()) {
    if (secretNames.has(name))
      throw new OAuthError('invalid_request', { description: 'Send parameters in the body, not in the URI.' });
  }
}

/** The text after the first `?` of a request-target. */
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

/**
 * The values of a field, one for each line. `name` is in lower case. Node's `headersDistinct` would do this for all fields at
 * once.
 */
export function formFieldLines({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] as string;
    if (written.length === name.length && written.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
