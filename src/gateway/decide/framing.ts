import { fold } from '../../config/words/fold-name.ts';
import type { Code } from '../message/codes.ts';
import type { RequestHead } from '../message/request-head.ts';

/** RFC 9112 §6.1, §6.3: framing that the parser accepts but an upstream could read differently. */
export function findFrameFault(head: RequestHead): Code | undefined {
  const { transferEncoding, contentLength } = head;
  if (transferEncoding === undefined && contentLength === undefined) return undefined;
  if (transferEncoding === undefined) return contentLength?.lines === 1 ? undefined : 'message_malformed';
  if (contentLength !== undefined || head.version === '1.0') return 'message_malformed';
  const chunked = transferEncoding.lines === 1 && transferEncoding.value.toLowerCase() === 'chunked';
  return chunked ? undefined : 'transfer_encoding_invalid';
}

/**
 * The names in Connection (RFC 9110 §7.6.1), in lower case. Undefined for the two values that nearly every request has.
 */
export function connectionNames({ connection }: RequestHead): ReadonlySet<string> | undefined {
  if (connection === undefined) return undefined;
  const value = connection.value.toLowerCase();
  if (value === 'keep-alive' || value === 'close') return undefined;
  return new Set(value.split(',').map((token) => token.trim()));
}

/** Fields that decide on every route: credentials, the page's origin, and the content type. */
const ALWAYS: ReadonlySet<string> = new Set([
  'authorization',
  'origin',
  'access-control-request-method',
  'content-type',
  'content-encoding',
]);

/** Fields of a connection, which clients may name in Connection. No upstream ever gets them. */
const LEGAL: ReadonlySet<string> = new Set([
  '',
  'keep-alive',
  'close',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'proxy-connection',
]);

/** The folded names of fields that decide for a route. `any`: the list is open. */
export type DecisiveFields = ReadonlySet<string> | 'any';

/**
 * The gateway removes the fields that Connection names. If such a field decides, the gateway would judge a value that
 * the upstream never gets. An absent field can also decide, for another route of the same path. So this checks every
 * route of this host and path. Returns the first such name, folded.
 */
export function namedDecisive(
  head: RequestHead,
  placed: () => Iterable<{ readonly decisive: DecisiveFields }>,
): string | undefined {
  const told = [...(connectionNames(head) ?? [])].filter((name) => !LEGAL.has(name)).map(fold);
  if (told.length === 0) return undefined;
  const found = told.find((name) => ALWAYS.has(name)) ?? decisiveOf(told, placed());
  return found?.slice(0, LONGEST);
}

/** Characters of a name that are logged. */
const LONGEST = 64;

/**
 * Routes that read the same names share one set. A client can name thousands of fields, and thousands of routes may
 * share a path.
 */
function decisiveOf(
  told: readonly string[],
  placed: Iterable<{ readonly decisive: DecisiveFields }>,
): string | undefined {
  const named = new Set(told);
  for (const decisive of new Set([...placed].map((route) => route.decisive))) {
    const found = decisive === 'any' ? told[0] : decisive.values().find((name) => named.has(name));
    if (found !== undefined) return found;
  }
  return undefined;
}
