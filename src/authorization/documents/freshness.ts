import type { Answered } from '../outbound/outbound.ts';

/** Milliseconds. */
export interface FreshnessLimits {
  /** If the answer says nothing. */
  readonly ttl: number;
  readonly max_ttl: number;
}

/** Milliseconds. A shorter time would make each login wait for the host of the client. */
export const SHORTEST_FRESH = 5 * 60_000;

/** Milliseconds for which an answer may be used (RFC 9111 §4.2), within our limits. */
export function freshFor(headers: Answered['headers'], { ttl, max_ttl }: FreshnessLimits): number {
  const said = saidFreshness(headers) ?? ttl;
  return Math.min(Math.max(said, SHORTEST_FRESH), max_ttl);
}

function saidFreshness(headers: Answered['headers']): number | undefined {
  const directives = textOf(headers['cache-control'])
    .toLowerCase()
    .split(/\s*,\s*/);
  if (directives.some((each) => /^(?:no-store|no-cache)(?:=|$)/.test(each))) return 0;
  const maxAge = directives.map((each) => /^max-age="?(\d+)"?$/.exec(each)?.[1]).find((each) => each !== undefined);
  if (maxAge !== undefined) return (Number(maxAge) - ageOf(headers)) * 1000;
  const { expires } = headers;
  return expires === undefined ? undefined : untilExpires(textOf(expires), textOf(headers.date));
}

function ageOf({ age }: Answered['headers']): number {
  return /^\d+$/.test(textOf(age)) ? Number(textOf(age)) : 0;
}

/** RFC 9111 §5.3: a malformed time is in the past. */
function untilExpires(expires: string, date: string): number {
  const milliseconds = Date.parse(expires) - Date.parse(date);
  return Number.isNaN(milliseconds) ? 0 : milliseconds;
}

function textOf(value: string | readonly string[] | undefined): string {
  return [value ?? []].flat().join(', ');
}
