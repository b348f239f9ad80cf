import type { RouteFile } from './gateway.ts';

type Looks = Pick<RouteFile, 'match' | 'when'>;

/**
 * The headers, in lower case, that decide whether a route is the one or its condition holds; `any` where an expression
 * chooses them itself.
 */
export function headersLookedAt({ match, when }: Looks): ReadonlySet<string> | 'any' {
  const inWhen = when === undefined ? [] : headersIn(when);
  if (inWhen === 'any') return 'any';
  const soap = match.soap_action === undefined ? [] : ['soapaction', 'content-type'];
  const named = [...Object.keys(match.headers ?? {}), ...soap, ...inWhen];
  return new Set(named.map((name) => name.toLowerCase()));
}

const MENTION = /\bheaders\b/g;
const NAMED = /\bheaders\s*(?:\[\s*(?:"([A-Za-z0-9_-]+)"|'([A-Za-z0-9_-]+)')\s*\]|\.\s*([A-Za-z0-9_]+)(?![\w\s]*\())/g;

/** Every mention must name its header, or any header may be meant. */
function headersIn(when: string): readonly string[] | 'any' {
  const named = [...when.matchAll(NAMED)].map(([, double, single, member]) => double ?? single ?? member ?? '');
  if (named.length !== [...when.matchAll(MENTION)].length) return 'any';
  // The request as a whole can be handed on, and its headers with it.
  return /\brequest\b(?!\s*\.)/.test(when) ? 'any' : named;
}
