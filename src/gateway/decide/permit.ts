import { type Refused, refused } from '../../base/verdict.ts';
import type { Code } from '../codes.ts';
import type { Identity } from '../identity.ts';
import type { ClaimsHold } from './claim-conditions.ts';
import { type ScopeRequirement, satisfies } from './scope-requirement.ts';
import type { RuleContext, When } from './when.ts';

/** What a route asks of an identity. Judged on every request, whether the identity was cached or not. */
export interface Requirements {
  /** Undefined: any valid credential. */
  readonly scope: ScopeRequirement | undefined;
  /** Configuration name of a server → what `aud` must contain; a server that is not named has no audience check. */
  readonly audience: ReadonlyMap<string, string>;
  readonly claims: ClaimsHold | undefined;
  readonly when: When | undefined;
}

export type PermitCode = Extract<Code, 'token_audience' | 'scope_insufficient' | 'condition_failed'>;

/** Undefined: permitted. The context is made only where a rule looks at it. */
export function permit(
  { scope, audience, claims, when }: Requirements,
  identity: Identity,
  context: () => RuleContext,
): Refused<PermitCode> | undefined {
  const wanted = audience.get(identity.server);
  if (wanted !== undefined && !(identity.audience?.includes(wanted) ?? false)) return refused('token_audience');
  if (scope !== undefined && !satisfies(scope, identity.scopes)) return refused('scope_insufficient');
  if (claims === undefined && when === undefined) return undefined;
  const seen = context();
  if (claims?.(identity, seen.captured) === false) return refused('condition_failed', 'claims');
  return when?.(identity, seen) === false ? refused('condition_failed', 'when') : undefined;
}
