import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { claimsOfScope } from '../../config/words/openid-scopes.ts';
import { ownValue } from '../../config/words/own-value.ts';
import type { Account } from '../people/accounts.ts';

type Settings = Pick<AuthorizationConfig, 'openid' | 'scopes'>;

const standard: ReadonlyMap<string, string> = new Map(
  Object.entries(claimsOfScope).flatMap(([scope, claims]) => claims.map((claim) => [claim, scope] as const)),
);

/** All claims about users that this service can release, apart from `sub`. */
export function knownClaims({ openid }: Settings): readonly string[] {
  return [...new Set([...standard.keys(), ...Object.keys(openid.claims)])];
}

/**
 * The scope that requests the claim. The operator's own claim belongs to the scope of the same name if there is one,
 * else to `profile`. Undefined: there is no such claim.
 */
export function scopeOfClaim({ openid, scopes }: Settings, claim: string): string | undefined {
  const known = standard.get(claim);
  if (known !== undefined) return known;
  if (!Object.hasOwn(openid.claims, claim)) return undefined;
  return Object.hasOwn(scopes, claim) ? claim : 'profile';
}

/** OpenID Connect Core §5.4. */
export function claimsOf(settings: Settings, scope: readonly string[]): readonly string[] {
  return claimsWithin(settings, scope, knownClaims(settings));
}

/** The claims whose scope is among these. */
export function claimsWithin(
  settings: Settings,
  scope: readonly string[],
  claims: readonly string[] = [],
): readonly string[] {
  return claims.filter((claim) => scope.includes(scopeOfClaim(settings, claim) ?? ''));
}

/** Only claims with a value (OpenID Connect Core §5.3.2). */
export function releasedClaims(
  settings: Settings,
  account: Account,
  claims: readonly string[],
): Record<string, unknown> {
  const entries = claims.map((claim) => [claim, claimValue(settings, account, claim)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null && value !== ''));
}

function claimValue({ openid }: Settings, account: Account, claim: string): unknown {
  const source = Object.hasOwn(openid.claims, claim) ? openid.claims[claim] : undefined;
  if (source !== undefined) return ownValue(account.claims, source.name);
  return standard.has(claim) ? (ownValue(account.claims, claim) ?? ownFact(account, claim)) : undefined;
}

/** What each account has, even without claims. */
function ownFact({ name, username }: Account, claim: string): string | undefined {
  if (claim === 'name') return name;
  return claim === 'preferred_username' ? username : undefined;
}
