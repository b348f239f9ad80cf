import type { Refuse } from '../decide/outcome.ts';
import { entry } from '../message/codes.ts';
import { nearest } from '../message/scope-requirement.ts';

/** The members of a refusal's body beside its code. */
export interface ProblemMembers {
  readonly detail?: string;
  /** Space-delimited, as in the challenge (RFC 6750 §3). */
  readonly scope?: string;
}

export function problemMembers({
  code,
  detail,
  route,
  identity,
}: Pick<Refuse, 'code' | 'detail' | 'route' | 'identity'>): ProblemMembers {
  const { text, tellsDetail } = entry(code);
  if (tellsDetail && detail !== undefined) return { detail: `${text} ${sentence(detail)}` };
  const needed = route?.requirements.scope;
  if (code !== 'scope_insufficient' || needed === undefined) return {};
  return { scope: nearest(needed, identity?.scopes ?? new Set()).join(' ') };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
