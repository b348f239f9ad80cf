import type { Mismatch } from '../base/mismatch.ts';
import { refused } from '../base/verdict.ts';
import {
  eventMismatch,
  issuerMismatch,
  type LifetimeRules,
  lifetimeMismatch,
  timeMismatches,
} from './claim-mismatches.ts';
import type { RefusedJwt } from './faults.ts';
import type { JsonObject } from './json.ts';
import { isTime } from './times.ts';

export interface ClaimRules extends LifetimeRules {
  /** Compared byte by byte (RFC 9068 §4). */
  readonly issuer: string;
}

/**
 * Judges the claims that mean the same on every route (RFC 7519 §4.1, RFC 9068 §4). `aud` and scope are not among them:
 * they are judged for each request, while this result is cached.
 */
export function judgeClaims(claims: JsonObject, rules: ClaimRules): RefusedJwt | undefined {
  const foreign = issuerMismatch(claims.iss, [rules.issuer]);
  if (foreign !== undefined) return refused('token_issuer', undefined, foreign);
  const event = eventFault(claims);
  if (event !== undefined) return event;
  const fault = formFault(claims);
  if (fault !== undefined) return refused('token_malformed', fault);
  const untimely = judgeTimes(claims, rules);
  if (untimely !== undefined) return untimely;
  // RFC 7800 §3.1: the token is valid only with proof of a key, which the client did not send.
  return Object.hasOwn(claims, 'cnf') ? refused('token_bound') : undefined;
}

/** A security event token or a logout token never passes as an access token (RFC 8725 §3.12). */
export function eventFault(claims: JsonObject): RefusedJwt | undefined {
  const event = eventMismatch(claims);
  return event && refused('token_type', 'events', event);
}

function judgeTimes(claims: JsonObject, rules: ClaimRules): RefusedJwt | undefined {
  const { exp, nbf, iat } = timeMismatches;
  let mismatch: Mismatch | undefined = exp(claims, rules);
  if (mismatch !== undefined) return refused('token_expired', undefined, mismatch);
  mismatch = nbf(claims, rules);
  if (mismatch !== undefined) return refused('token_not_yet_valid', 'nbf', mismatch);
  mismatch = iat(claims, rules);
  if (mismatch !== undefined) return refused('token_not_yet_valid', 'iat', mismatch);
  mismatch = lifetimeMismatch(claims, rules);
  return mismatch && refused('token_lifetime', undefined, mismatch);
}

function formFault({ exp, nbf, iat, sub, aud }: JsonObject): string | undefined {
  if (!isTime(exp)) return 'exp is not a number';
  if (nbf !== undefined && !isTime(nbf)) return 'nbf is not a number';
  if (iat !== undefined && !isTime(iat)) return 'iat is not a number';
  if (sub !== undefined && typeof sub !== 'string') return 'sub is not a string';
  return isAudience(aud) ? undefined : 'aud is neither a string nor a list of strings';
}

/** RFC 7519 §4.1.3: one string or a list of strings. The route judges an absent audience. */
export function isAudience(value: unknown): value is string | readonly string[] | undefined {
  if (value === undefined || typeof value === 'string') return true;
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
