import { type Code, entry } from '../codes.ts';
import { nearest } from '../decide/scope-requirement.ts';
import type { Refuse } from '../outcome.ts';

/** What the body of a refusal says besides its code. */
export interface Said {
  readonly detail?: string;
  /** Space-delimited, as in the challenge (RFC 6750 §3). */
  readonly scope?: string;
}

/**
 * Their details are sentences of the gateway alone, about the form of what the client sent. Not of `credential_missing`:
 * who sends no credentials is told no more than that they are needed (RFC 6750 §3.1).
 */
const OPEN: ReadonlySet<Code> = new Set(['credential_malformed']);

export function saidOf({
  code,
  detail,
  route,
  identity,
}: Pick<Refuse, 'code' | 'detail' | 'route' | 'identity'>): Said {
  if (OPEN.has(code) && detail !== undefined) return { detail: `${entry(code).text} ${sentence(detail)}` };
  const needed = route?.requirements.scope;
  if (code !== 'scope_insufficient' || needed === undefined) return {};
  return { scope: nearest(needed, identity?.scopes ?? new Set()).join(' ') };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
