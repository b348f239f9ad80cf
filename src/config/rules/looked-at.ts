import type { RouteFile } from '../schema/gateway.ts';
import { fieldsOfSchemes, type SchemeBlocks } from '../schema/http-schemes.ts';

type Looks = Pick<RouteFile, 'match' | 'when' | 'origins' | 'mcp' | 'claims_to_params'>;

/**
 * The headers, in lower case, that affect the decision for a route: headers that the route reads, and headers with its
 * credentials. `any` if an expression chooses them itself.
 */
export function headersThatDecide(route: Looks & SchemeBlocks): ReadonlySet<string> | 'any' {
  const looked = headersLookedAt(route);
  return looked === 'any' ? 'any' : looked.union(new Set([...fieldsOfSchemes(route), ...headersOfMessages(route)]));
}

/** Headers that must repeat the body, and ids that belong to one caller. */
function headersOfMessages({ mcp, claims_to_params = {} }: Looks): readonly string[] {
  if (mcp === undefined) return [];
  return [...MESSAGE_HEADERS, ...Object.keys(claims_to_params).map((name) => name.toLowerCase())];
}

const MESSAGE_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'];

/**
 * The headers, in lower case, that the match, the list of origins or the condition of a route reads; `any` if an expression
 * chooses them itself.
 */
export function headersLookedAt({ match, when, origins, mcp }: Looks): ReadonlySet<string> | 'any' {
  const inWhen = when === undefined ? [] : headersIn(when);
  if (inWhen === 'any') return 'any';
  const soap = match.soap_action === undefined ? [] : ['soapaction', 'content-type'];
  const page = origins === undefined && mcp === undefined ? [] : ['origin'];
  const named = [...Object.keys(match.headers ?? {}), ...soap, ...page, ...inWhen];
  return new Set(named.map((name) => name.toLowerCase()));
}

/** The query parameters that an expression reads. */
export function parametersLookedAt(when: string): ReadonlySet<string> | 'any' {
  const named = membersIn(when, PARAMETERS);
  return named === 'any' ? 'any' : new Set(named);
}

function headersIn(when: string): readonly string[] | 'any' {
  return membersIn(when, HEADERS);
}

interface Members {
  readonly mention: RegExp;
  readonly named: RegExp;
}

const HEADERS = membersOf('headers');
const PARAMETERS = membersOf('query');

/** Matches a text without escapes, alone before `in` or in brackets, or a member that is not called. */
function membersOf(of: string): Members {
  const asked = String.raw`(?<=(?:^|[(&|,])\s*)(?:"([^"\\]+)"|'([^'\\]+)')\s+in\s+request\s*\.\s*${of}\b(?!\s*[.[])`;
  const read = String.raw`\b${of}\s*(?:\[\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*\]|\.\s*([A-Za-z0-9_]+)(?![\w\s]*\())`;
  return { mention: new RegExp(String.raw`\b${of}\b`, 'g'), named: new RegExp(`${asked}|${read}`, 'g') };
}

/** An expression can pass on or iterate the whole request, with all its members. */
const WHOLE = /\brequest\b(?!\s*\.\s*(?:method|host|path|params|query|headers)\b)/;

/** Each mention must name its member. Otherwise it may mean any member. */
function membersIn(when: string, members: Members): readonly string[] | 'any' {
  const names = [...when.matchAll(members.named)].map(([, ...found]) => found.find((name) => name !== undefined) ?? '');
  return names.length !== [...when.matchAll(members.mention)].length || WHOLE.test(when) ? 'any' : names;
}
