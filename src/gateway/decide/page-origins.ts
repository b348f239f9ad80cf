import type { RequestHead } from '../message/request-head.ts';

/** The origins whose pages may call a route, in lower case. */
export type PageOrigins = ReadonlySet<string>;

/**
 * Why the page that sent this request may not call. Undefined: the page may call, or no page sent the request. The
 * header has no other spelling, because its name has only letters. Browsers send one origin, so two are not from a
 * browser alone.
 */
export function refusedOrigin(origins: PageOrigins, { webOrigin }: RequestHead): string | undefined {
  if (webOrigin === undefined) return undefined;
  const { lines, value } = webOrigin;
  if (lines > 1) return `the request has ${lines} Origin headers`;
  if (origins.has(value) || origins.has(value.toLowerCase())) return undefined;
  return `the origin ${cut(value)} is not in \`origins\``;
}

/** Characters of a client's value in a log line. */
const LONGEST = 128;

/** Shortens a value that a client sent, before the gateway writes it into a text. */
export function cut(text = ''): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
