import { refused } from '../base/verdict.ts';
import type { RefusedJwt } from './faults.ts';
import type { JsonObject } from './json.ts';

export interface ClaimRules {
  /** Compared byte by byte (RFC 9068 §4). */
  readonly issuer: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Seconds. */
  readonly skew: number;
  /** Seconds from `iat` to `exp`. */
  readonly maxLifetime: number;
}

/**
 * The claims that mean the same on every route (RFC 7519 §4.1, RFC 9068 §4). `aud` and scope are not among them: they are
 * judged for each request, while this verdict is remembered.
 */
export function judgeClaims(
  claims: JsonObject,
  { issuer, now, skew, maxLifetime }: ClaimRules,
): RefusedJwt | undefined {
  const { iss, exp, nbf, iat } = claims;
  if (iss !== issuer) return refused('token_issuer');
  const fault = formFault(claims);
  if (fault !== undefined) return refused('token_malformed', fault);
  if (now >= Number(exp) + skew) return refused('token_expired');
  if (isTime(nbf) && now < nbf - skew) return refused('token_not_yet_valid', 'nbf');
  if (isTime(iat) && now < iat - skew) return refused('token_not_yet_valid', 'iat');
  if (livesLonger(claims, now, maxLifetime + skew)) return refused('token_lifetime');
  // RFC 7800 §3.1: a token for the holder of a key says nothing about whoever sends it without proof.
  return Object.hasOwn(claims, 'cnf') ? refused('token_bound') : undefined;
}

/** Whether a token lives longer than is taken; without `iat`, from now on. */
export function livesLonger({ exp, iat }: JsonObject, now: number, seconds: number): boolean {
  return isTime(exp) && exp - (isTime(iat) ? iat : now) > seconds;
}

function formFault({ exp, nbf, iat, sub, aud }: JsonObject): string | undefined {
  if (!isTime(exp)) return 'exp is not a number';
  if (nbf !== undefined && !isTime(nbf)) return 'nbf is not a number';
  if (iat !== undefined && !isTime(iat)) return 'iat is not a number';
  if (sub !== undefined && typeof sub !== 'string') return 'sub is not a string';
  return isAudience(aud) ? undefined : 'aud is neither a string nor a list of strings';
}

/** A NumericDate (RFC 7519 §2). `1e999` reads as Infinity, which would never expire. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** RFC 7519 §4.1.3: one string or a list of them; absent is for the route to judge. */
export function isAudience(value: unknown): value is string | readonly string[] | undefined {
  if (value === undefined || typeof value === 'string') return true;
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
