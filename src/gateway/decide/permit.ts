import { type Mismatch, mismatchOf } from '../../base/mismatch.ts';
import { type Refused, refused } from '../../base/verdict.ts';
import type { Code } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import { type ScopeRequirement, satisfies } from '../message/scope-requirement.ts';
import type { ClaimsHold } from './claim-conditions.ts';
import type { RuleContext, When } from './when.ts';
import type { RepeatedReads } from './when-reads.ts';

/** What a route requires of an identity. The gateway checks it on every request, even if the identity is cached. */
export interface Requirements {
  /** Undefined: any valid credential. */
  readonly scope: ScopeRequirement | undefined;
  /**
   * A server's configuration name → the value that `aud` must contain. A server that is not listed has no audience
   * check.
   */
  readonly audience: ReadonlyMap<string, string>;
  readonly claims: ClaimsHold | undefined;
  readonly when: When | undefined;
  /** The parts of the request that `when` reads. */
  readonly repeated?: RepeatedReads | undefined;
}

export type PermitCode = Extract<Code, 'token_audience' | 'scope_insufficient' | 'condition_failed'>;

/** `wanted` undefined: no audience check. A match allocates nothing. */
export function audienceMismatch(
  wanted: string | undefined,
  audience: readonly string[] | undefined,
): Mismatch | undefined {
  if (wanted === undefined || audience?.includes(wanted) === true) return undefined;
  return mismatchOf('aud', audience, [wanted]);
}

/** Refuses a token for another audience. Undefined: the audience matches. */
export function refuseAudience({ audience }: Requirements, identity: Identity): Refused<'token_audience'> | undefined {
  const foreign = audienceMismatch(audience.get(identity.server), identity.audience);
  return foreign === undefined ? undefined : refused('token_audience', undefined, foreign);
}

/** Undefined: permitted. The contexts are built only if a rule reads them. A rule must be true in each context. */
export function permit(
  requirements: Requirements,
  identity: Identity,
  contexts: () => readonly RuleContext[],
): Refused<PermitCode> | undefined {
  const foreign = refuseAudience(requirements, identity);
  if (foreign !== undefined) return foreign;
  const { scope, claims, when } = requirements;
  if (scope !== undefined && !satisfies(scope, identity.scopes)) return refused('scope_insufficient');
  if (claims === undefined && when === undefined) return undefined;
  const seen = contexts();
  if (seen.some(({ captured }) => claims?.(identity, captured) === false)) return refused('condition_failed', 'claims');
  return seen.some((context) => when?.(identity, context) === false) ? refused('condition_failed', 'when') : undefined;
}
