import type { Mismatch } from '../../base/mismatch.ts';
import { quoted, quotedAny } from '../../base/quoted.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { issuerMismatch } from '../../jwt/claim-mismatches.ts';
import { algorithmMismatch, typeMismatch } from '../../jwt/header-mismatches.ts';
import type { ParsedJwt } from '../../jwt/parse.ts';
import type { Outcome } from '../decide/outcome.ts';
import { requiredClaimMismatch } from '../verify/required-claims.ts';
import { acceptedTypes } from '../verify/verify-jwt.ts';
import { eventChecks } from './event-checks.ts';
import { timeChecks } from './time-checks.ts';
import { fails, failsBy, fits, type TokenCheck, unknownToken } from './token-check.ts';

export interface JwtScene {
  /** Undefined: no server is responsible. */
  readonly block: AuthorizationServerConfig | undefined;
  /** The authorization servers that the route accepts. */
  readonly issuers: readonly string[];
  readonly outcome: Outcome;
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * Checks each header parameter and claim of a JWT against its server's block separately. So all mismatches show at
 * once.
 */
export function jwtChecks(jwt: ParsedJwt, scene: JwtScene): readonly TokenCheck[] {
  const { header, claims } = jwt;
  const { block, issuers } = scene;
  const issuer = judged('iss', claims.iss, quotedAny(issuers), issuerMismatch(claims.iss, issuers));
  if (block === undefined) return [unknownToken('alg', quoted(header.alg), NOT_KNOWN), issuer];
  // The server introspects the token, so only the issuer and the kind of token are checked here.
  if (block.verify === 'introspection') return [issuer, ...eventChecks(claims)];
  const algorithms = new Set<string>(block.algorithms);
  return [
    judged('alg', header.alg, quotedAny([...algorithms]), algorithmMismatch(header.alg, algorithms)),
    judged('typ', header.typ, quotedAny(block.typ), typeMismatch(header.typ, acceptedTypes(block.typ))),
    issuer,
    ...eventChecks(claims),
    ...timeChecks(claims, secondsOf(block, scene.now), true),
    ...(Object.hasOwn(claims, 'cnf') ? [fails('cnf', 'bound to a key', 'a token that is not bound to a key')] : []),
    keyCheck(jwt, scene.outcome),
    ...Object.entries(block.required_claims).map(([path, values]) => requiredCheck(jwt, path, values)),
  ];
}

const NOT_KNOWN = 'not known: no server is responsible for this issuer';

function judged(name: string, found: unknown, expected: string, mismatch: Mismatch | undefined): TokenCheck {
  return mismatch === undefined ? fits(name, quoted(found), expected) : failsBy(mismatch);
}

function secondsOf({ clock_skew, max_token_lifetime }: AuthorizationServerConfig, now: number) {
  const skew = clock_skew / 1000;
  return { now, skew, leeway: skew, maxLifetime: max_token_lifetime / 1000 };
}

/**
 * The token alone does not show whether a key of the server signed it. The engine has these keys, so the outcome shows
 * this.
 */
function keyCheck({ header }: ParsedJwt, outcome: Outcome): TokenCheck {
  const mismatch = outcome.kind === 'refuse' && outcome.code === 'token_signature' ? outcome.mismatch : undefined;
  if (mismatch !== undefined) return failsBy(mismatch);
  if (isSigned(outcome)) return fits('kid', quoted(header.kid), "the server's key that signed the token");
  const why = outcome.kind === 'unavailable' ? `not known: ${quoted(outcome.outage.detail)}` : 'not reached';
  return unknownToken('kid', quoted(header.kid), why);
}

/** Refusals that follow a valid signature. A revoked key of a user verifies nothing, so it is not among them. */
const AFTER: ReadonlySet<string> = new Set(['token_inactive', 'token_revoked']);

function isSigned(outcome: Outcome): boolean {
  if (outcome.kind === 'forward') return outcome.identity !== undefined;
  if (outcome.kind !== 'refuse') return false;
  const { identity, cause, code } = outcome;
  return identity !== undefined || cause === 'required_claims' || (cause !== 'user_key' && AFTER.has(code));
}

function requiredCheck({ claims }: ParsedJwt, path: string, values: readonly string[]): TokenCheck {
  const mismatch = requiredClaimMismatch(claims, { [path]: values });
  return mismatch === undefined ? fits(path, 'one of them', quotedAny(values)) : failsBy(mismatch);
}
