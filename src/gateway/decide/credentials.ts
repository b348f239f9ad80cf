import { type Refused, refused } from '../../base/verdict.ts';
import type { BearerMethod } from '../../config/schema/gateway.ts';
import { isB64Token, parseBearer } from '../../http-auth/bearer.ts';
import { splitCredentials } from '../../http-auth/scheme.ts';
import type { CredentialCode } from '../message/codes.ts';
import type { Credential, RequestHead } from '../message/request-head.ts';
import { mayName, takeParameter } from '../routing/form-parameters.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import { type PlacedCredentials, placedCredentials } from './placed-credentials.ts';

/** The one credential of a request, in one place (RFC 6750 §2). The gateway refuses anything else. */
export interface Extracted {
  readonly kind: 'credential' | 'none';
  readonly scheme: string;
  /** Empty if there is none. For a scheme other than bearer: the whole value of its place. */
  readonly token: string;
  readonly place: BearerMethod | undefined;
  /** The query to forward, with its `?`, without any credential. */
  readonly query: string;
  /** The form to forward, if the gateway took a token out of one. */
  readonly form: Buffer | undefined;
}

interface Found {
  readonly scheme: string;
  readonly place: BearerMethod;
  readonly token: string;
  /** Why the credential is not accepted. Undefined: it is accepted. */
  readonly fault: string | undefined;
}

/**
 * `form` is the whole body if `wantsForm` asked for it. A credential in a place that the route does not list is not
 * accepted, but it still counts as a second one. So a client that sends two always gets this answer.
 */
export function extract(
  head: RequestHead,
  query: string,
  methods: ReadonlySet<BearerMethod>,
  form: Buffer | undefined,
  schemes: readonly Named[] = [],
): Extracted | Refused<CredentialCode> {
  const { authorization } = head;
  if (authorization !== undefined && authorization.lines > 1) return refused('credential_repeated');
  const inHeader = authorization && foundIn(authorization, schemes);
  const placed = schemes.length === 0 ? undefined : placedCredentials(head, query, schemes);
  if (placed !== undefined) return amongAll([...inFirst(inHeader), ...placed.found], placed, methods, form);
  if (form === undefined && !mayHoldToken(query)) return single(inHeader, methods, query, undefined);
  return amongAll(inFirst(inHeader), { query }, methods, form);
}

type Named = Pick<HttpScheme, 'name' | 'places'>;

function foundIn({ value, parsed }: NonNullable<Credential>, schemes: readonly Named[]): Found | undefined {
  const parse = () => ofScheme(value, schemes) ?? fromHeader(value);
  return parsed === undefined ? parse() : (parsed.for([schemes], parse) as Found | undefined);
}

function inFirst(found: Found | undefined): readonly Found[] {
  return found === undefined ? [] : [found];
}

function amongAll(
  others: readonly Found[],
  { query }: Pick<PlacedCredentials, 'query'>,
  methods: ReadonlySet<BearerMethod>,
  form: Buffer | undefined,
): Extracted | Refused<CredentialCode> {
  const inQuery = takeParameter(query.slice(1), 'access_token');
  const inForm = form === undefined ? undefined : takeParameter(form.toString('latin1'), 'access_token');
  const found = [
    ...others,
    ...inQuery.values.map((token) => inPlace('query', token)),
    ...(inForm?.values ?? []).map((token) => inPlace('body', token)),
  ];
  if (found.length > 1) return refused('credential_repeated');
  const without = inQuery.values.length === 0 ? query : inQuery.rest === '' ? '' : `?${inQuery.rest}`;
  const rest = inForm === undefined || inForm.values.length === 0 ? undefined : Buffer.from(inForm.rest, 'latin1');
  return single(found[0], methods, without, rest);
}

function single(
  found: Found | undefined,
  methods: ReadonlySet<BearerMethod>,
  query: string,
  form: Buffer | undefined,
): Extracted | Refused<CredentialCode> {
  if (found === undefined || (found.scheme === 'bearer' && !methods.has(found.place)))
    return { kind: 'none', scheme: 'bearer', token: '', place: undefined, query, form };
  if (found.fault !== undefined)
    return refused(found.scheme === 'bearer' ? 'credential_malformed' : 'credential_misspelt', found.fault);
  return { kind: 'credential', scheme: found.scheme, token: found.token, place: found.place, query, form };
}

/** Bearer ignores credentials of other schemes (RFC 6750 §3.1). */
function fromHeader(value: string): Found | undefined {
  const parsed = parseBearer(value);
  if (parsed.kind === 'other') return undefined;
  if (parsed.kind === 'malformed')
    return { scheme: 'bearer', place: 'header', token: '', fault: faultOf(value.slice(6)) };
  return { scheme: 'bearer', place: 'header', token: parsed.token, fault: undefined };
}

/** Credentials of another accepted scheme in Authorization. The scheme's own parser judges their syntax. */
function ofScheme(value: string, schemes: readonly Named[]): Found | undefined {
  if (schemes.length === 0) return undefined;
  const named = splitCredentials(value)?.scheme;
  const scheme = schemes.find(({ name, places }) => places === undefined && name === named)?.name;
  return scheme === undefined ? undefined : { scheme, place: 'header', token: value, fault: undefined };
}

function inPlace(place: BearerMethod, token: string): Found {
  return { scheme: 'bearer', place, token, fault: isB64Token(token) ? undefined : faultOf(token) };
}

function faultOf(text: string): string {
  return text.trim() === '' ? 'the token is empty' : 'the token contains an invalid character';
}

interface Place {
  readonly place: BearerMethod;
  mayHold(head: RequestHead, query: string): boolean;
  readonly unread: string;
}

// RFC 6750 §2.2: single-part, form-encoded. The match is strict, so a doubtful form does not count as a form.
const FORM = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:"utf-8"|utf-8)[ \t]*)?$/i;

/** Clients send tokens in both kinds of forms. */
const ANY_FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)[ \t]*(?:;|$)/i;

const places: readonly Place[] = [
  {
    place: 'header',
    mayHold: ({ authorization }) => authorization !== undefined && fromHeader(authorization.value) !== undefined,
    unread: 'this route does not read a token in the Authorization header',
  },
  {
    place: 'query',
    mayHold: (_, query) => takeParameter(query.slice(1), 'access_token').values.length > 0,
    unread: 'this route does not read a token in the query',
  },
  {
    place: 'body',
    mayHold: ({ hasBody, contentType }) => hasBody && ANY_FORM.test(contentType?.value ?? ''),
    unread: 'this route does not read a token in the body',
  },
];

/** Why no credential was found: it may be in a place that the route does not read, or the place that it reads is unfit. */
export function whyMissing(
  head: RequestHead,
  query: string,
  methods: ReadonlySet<BearerMethod>,
  schemes: readonly Named[] = [],
): string {
  const unread = places.find(({ place, mayHold }) => !methods.has(place) && mayHold(head, query))?.unread;
  if (unread !== undefined) return unread;
  if (schemes.some(({ places: own }) => own !== undefined))
    return 'the request has no credential where this route reads one';
  const body = methods.has('body') && head.hasBody ? bodyFault(head) : undefined;
  if (!methods.has('header')) return body ?? 'the request has no token where this route reads one';
  if (head.authorization !== undefined) return 'the scheme of the Authorization field is not accepted on this route';
  return ['there is no Authorization field', ...(body === undefined ? [] : [body])].join(', and ');
}

/** Why the route did not look for a token in the body. The body itself is never read for this. */
function bodyFault(head: RequestHead): string | undefined {
  return bodyFaults.find(({ has }) => has(head))?.words;
}

/** RFC 6750 §2.2. */
const bodyFaults: readonly { readonly has: (head: RequestHead) => boolean; readonly words: string }[] = [
  {
    has: ({ method }) => method === 'GET' || method === 'HEAD',
    words: 'a token in a body needs another method than GET and HEAD (RFC 6750 §2.2)',
  },
  {
    has: ({ contentEncoding }) => contentEncoding !== undefined,
    words: 'a form with a token must not have a Content-Encoding',
  },
  {
    has: ({ contentType }) => contentType === undefined || contentType.lines > 1 || !FORM.test(contentType.value),
    words: 'a body with a token must be a form: application/x-www-form-urlencoded (RFC 6750 §2.2)',
  },
];

function mayHoldToken(query: string): boolean {
  return query !== '' && mayName(query, 'access_token');
}

/** Whether the body must be read for a credential (RFC 6750 §2.2). */
export function wantsForm(head: RequestHead, methods: ReadonlySet<BearerMethod>): boolean {
  return methods.has('body') && head.hasBody && bodyFault(head) === undefined;
}
