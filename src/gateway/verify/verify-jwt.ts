import type { Clock } from '../../base/clock.ts';
import { mediaType } from '../../base/token-type.ts';
import { type Outage, type Refused, refused } from '../../base/verdict.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { judgeClaims } from '../../jwt/claims.ts';
import { keyMismatch, signatureMismatch } from '../../jwt/header-mismatches.ts';
import type { ParsedJwt } from '../../jwt/parse.ts';
import { TurnBudget } from '../../jwt/turn-budget.ts';
import { judgeHeader, verifySignature } from '../../jwt/verify.ts';
import type { CredentialCode } from '../message/codes.ts';
import type { KeySet } from '../server-client/key-set.ts';
import { type Facts, type IdentitySource, identityOf } from './facts.ts';
import { type RequiredClaims, requiredClaimMismatch } from './required-claims.ts';

export interface JwtRules extends IdentitySource {
  readonly algorithms: readonly string[];
  /** `absent`: a token without `typ`. */
  readonly typ: readonly string[];
  readonly requiredClaims: RequiredClaims;
  /** Milliseconds. */
  readonly skew: number;
  readonly maxLifetime: number;
  /** A report of the server may end tokens of a certain age, so each token must show its age. */
  readonly requiresIssuedAt?: boolean;
}

export type VerifyJwt = (jwt: ParsedJwt) => Promise<Facts | Refused<CredentialCode> | Outage>;

export interface JwtDependencies {
  readonly keys: KeySet;
  readonly clock: Clock;
  readonly out: (detail: string) => Outage;
  /** One budget for the event loop, whatever server a token names. A single verifier has its own. */
  readonly budget?: TurnBudget | undefined;
}

/** Cheap checks come first, so that an expired or foreign token costs no signature check and no fetch of keys. */
export function buildVerifyJwt(
  rules: JwtRules,
  { keys, clock, out, budget = new TurnBudget() }: JwtDependencies,
): VerifyJwt {
  const header = { algorithms: new Set(rules.algorithms), types: acceptedTypes(rules.typ) };
  return async (jwt) => {
    const claimRules = {
      issuer: rules.issuer,
      now: clock.now() / 1000,
      skew: rules.skew / 1000,
      maxLifetime: rules.maxLifetime / 1000,
    };
    const fault = judgeHeader(jwt, header) ?? judgeClaims(jwt.claims, claimRules);
    if (fault !== undefined) return fault;
    const { sub, iat } = jwt.claims;
    if (rules.requiresIssuedAt && iat === undefined) return refused('token_malformed', 'there is no iat');
    const subject = typeof sub === 'string' ? sub : undefined;
    const found = await keys.find(jwt.header.alg as AlgorithmName, jwt.header.kid, subject);
    if (found.kind === 'out') return out(found.detail);
    if (found.kind === 'revoked') return { ...refused('token_revoked', 'key of a user'), cause: 'user_key' };
    if (found.kind === 'unknown')
      return refused('token_signature', 'no such key', keyMismatch(jwt.header, keys.published()));
    const key = await verifySignature(jwt, found.keys, budget);
    if (key === undefined) return refused('token_signature', undefined, signatureMismatch(jwt.header, found.keys));
    const lacking = requiredClaimMismatch(jwt.claims, rules.requiredClaims);
    if (lacking !== undefined)
      return { ...refused('token_type', 'required_claims', lacking), cause: 'required_claims' };
    const forever = { asked: false, freshFor: Number.POSITIVE_INFINITY, staleFor: 0, leeway: rules.skew };
    return { kind: 'facts', identity: identityOf(jwt.claims, rules), jwt: true, key, ...forever };
  };
}

/** As in the file, where `absent` means a token without `typ`. */
export function acceptedTypes(typ: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(typ.map(typeOf));
}

function typeOf(typ: string): string | undefined {
  return typ === 'absent' ? undefined : mediaType(typ);
}
