import type { LastMade } from '../../base/last-made.ts';
import type { Forward } from '../decide/outcome.ts';
import { Lines, type SizedLines } from '../message/lines.ts';
import { latin1, type RawFields } from '../message/raw-fields.ts';
import type { Exchange } from './exchange.ts';

/** The header section of the upstream's answer, adapted to the client's connection (RFC 9110 §7.6.1). */

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'te',
  'transfer-encoding',
  'upgrade',
]);

export interface ResponseFields {
  /** Name, value, name, value, …, as Node's `writeHead` takes them. */
  readonly fields: string[];
  /** From Content-Length; undefined if absent. */
  readonly length: number | undefined;
}

export interface ResponseRules {
  /** The status has no content (RFC 9110 §6.4.1). A 204 must not contain a length. */
  readonly bodiless: boolean;
  /**
   * Whether the client's connection can carry trailers. The gateway announces them only if the answer has no
   * Content-Length.
   */
  readonly trailers: boolean;
  /** RFC 6750 §2.3. */
  readonly private: boolean;
  /** A field in lower case that the client does not get. Undefined: none. */
  readonly dropped: string | undefined;
  /** Name in lower case, value, … These replace the upstream's own fields. */
  readonly own: readonly string[];
  /** Cross-origin lines that replace the upstream's own. Undefined: the upstream's lines pass. */
  readonly crossOrigin: readonly string[] | undefined;
  readonly requestIdHeader: string;
  readonly requestId: string;
  /** In shadow mode, the upstream's own request id stays. */
  readonly keepsRequestId: boolean;
}

const SESSION = 'mcp-session-id';

/** For the answer to this request. */
export function responseRules(
  { shared, requestId, head }: Pick<Exchange, 'shared' | 'requestId' | 'head'>,
  plan: Forward,
  status: number,
  isBodiless: boolean,
): ResponseRules {
  return {
    bodiless: status === 204,
    trailers: head.version !== '1.0' && !isBodiless,
    private: plan.privateResponse,
    // Without `sessions`, a client that had the id could use the session of another.
    dropped: plan.mcp?.reads === 'nothing' ? SESSION : undefined,
    own: plan.answerFields,
    crossOrigin: plan.route.corsUpstream || plan.asCame ? undefined : shared.crossOrigin?.answer(head),
    requestIdHeader: shared.requestIdHeaderLower,
    requestId,
    keepsRequestId: plan.asCame,
  };
}

/** `raw` alternates names and values as undici received them. */
export function responseFields(raw: RawFields, rules: ResponseRules): ResponseFields {
  const { fields, length, hasRequestId } = sharedResponseFields(raw, rules);
  for (const text of rules.own) fields.push(text);
  if (!hasRequestId) fields.push(rules.requestIdHeader, rules.requestId);
  return { fields, length };
}

/** The fields that differ between two answers with the same head. */
export function ownResponseFields({ own, requestIdHeader, requestId }: ResponseRules): readonly string[] {
  return own.length === 0 ? [requestIdHeader, requestId] : [...own, requestIdHeader, requestId];
}

/** All fields except those of `ownResponseFields`. */
function sharedResponseFields(
  raw: RawFields,
  rules: ResponseRules,
): ResponseFields & { readonly hasRequestId: boolean } {
  const fields: string[] = [];
  const named = connectionNames(raw);
  let length: number | undefined;
  let announced: string | undefined;
  let coded = false;
  let hasRequestId = false;
  const cacheControl: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const written = latin1(raw[i]);
    const name = written.toLowerCase();
    if (name === 'transfer-encoding') {
      judgeCoding(raw[i + 1], coded);
      coded = true;
    }
    if (HOP_BY_HOP.has(name) || named?.has(name)) continue;
    if (name === rules.requestIdHeader) {
      if (!rules.keepsRequestId) continue;
      hasRequestId = true;
    }
    if (rules.crossOrigin !== undefined && name.startsWith('access-control-')) continue;
    if (name === rules.dropped || (rules.own.length > 0 && rules.own.includes(name))) continue;
    const value = latin1(raw[i + 1]);
    if (name === 'content-length') {
      if (rules.bodiless) continue;
      length = Number(value);
    } else if (name === 'trailer') {
      announced = value;
      continue;
    } else if (name === 'cache-control' && rules.private) {
      cacheControl.push(...value.split(','));
      continue;
    }
    fields.push(written, value);
  }
  if (rules.private) fields.push('cache-control', privately(cacheControl));
  if (announced !== undefined && rules.trailers && length === undefined) fields.push('trailer', announced);
  if (rules.crossOrigin !== undefined) fields.push(...rules.crossOrigin);
  return { fields, length, hasRequestId };
}

/**
 * The same as `responseFields`, without `ownResponseFields`, for an answer whose fields came before. Undefined: the
 * lines depend on more than these fields.
 */
export function knownResponseLines(
  raw: RawFields,
  rules: ResponseRules,
  memory: LastMade<SizedLines> | undefined,
): SizedLines | undefined {
  const { bodiless, trailers, own, crossOrigin, requestIdHeader, keepsRequestId } = rules;
  if (memory === undefined || own.length > 2 || crossOrigin !== undefined || keepsRequestId) return undefined;
  return memory.for([raw, bodiless, trailers, rules.private, rules.dropped, own[0], requestIdHeader], () => {
    const { fields, length } = sharedResponseFields(raw, rules);
    return { lines: new Lines(fields), length };
  });
}

export class UnknownCoding extends Error {}

/**
 * The gateway does not decode other codings and would relay coded bytes as if they were content (RFC 9112 §7). Two
 * lines form a list.
 */
function judgeCoding(value: Buffer | string | undefined, isSecond: boolean): void {
  if (isSecond || latin1(value).trim().toLowerCase() !== 'chunked')
    throw new UnknownCoding('the answer of the upstream has another transfer coding than chunked');
}

/** RFC 6750 §2.3. The upstream's own directives stay, except those for shared caches. */
function privately(directives: readonly string[]): string {
  const kept = directives.map((directive) => directive.trim()).filter((directive) => !SHARED.test(directive));
  return ['private', ...kept].join(', ');
}

const SHARED = /^(?:$|public$|private(?:=|$)|s-maxage(?:=|$)|proxy-revalidate$)/i;

function connectionNames(raw: RawFields): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.length !== 10 || latin1(raw[i]).toLowerCase() !== 'connection') continue;
    const value = latin1(raw[i + 1]).toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    names ??= new Set();
    for (const token of value.split(',')) names.add(token.trim());
  }
  // The client needs Content-Length to find the end of the answer.
  names?.delete('content-length');
  return names;
}

const FORBIDDEN_TRAILERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'content-type',
  'content-encoding',
  'content-range',
  'host',
  'trailer',
  'set-cookie',
  'www-authenticate',
  'authorization',
  'cookie',
]);

/**
 * RFC 9110 §6.5.1: a trailer must not carry a field that belongs in the header section, or `requestIdHeader`, which the
 * gateway sets.
 */
export function trailerFields(raw: RawFields, requestIdHeader: string): [string, string][] {
  const trailers: [string, string][] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = latin1(raw[i]);
    const lower = name.toLowerCase();
    if (!FORBIDDEN_TRAILERS.has(lower) && lower !== requestIdHeader) trailers.push([name, latin1(raw[i + 1])]);
  }
  return trailers;
}
