import { type Mismatch, mismatch, mismatchOf } from '../base/mismatch.ts';
import { durationInWords, instantInWords } from '../base/time-in-words.ts';
import { isObject, type JsonObject } from './json.ts';
import { isTime, livesLonger } from './times.ts';

/** Checks each claim separately. A match, which is the usual case, allocates nothing. */

export interface TimeRules {
  /** Seconds since the epoch. */
  readonly now: number;
  /** Seconds. */
  readonly skew: number;
}

export interface LifetimeRules extends TimeRules {
  /** Seconds from `iat` to `exp`. */
  readonly maxLifetime: number;
}

/** Compares the issuer byte by byte (RFC 9068 §4) with a list. One entry must match. */
export function issuerMismatch(iss: unknown, issuers: readonly string[]): Mismatch | undefined {
  return issuers.some((issuer) => issuer === iss) ? undefined : mismatchOf('iss', iss, issuers);
}

/**
 * Only a security event token has an object `events` (RFC 8417 §2.2), and a logout token is one. A server can sign both with
 * the keys and the audience of its access tokens, so this claim is what separates them (RFC 8725 §3.12).
 */
export function eventMismatch({ events }: JsonObject): Mismatch | undefined {
  return isObject(events) ? mismatch('events', 'a security event', 'none') : undefined;
}

/** A value that is not a time counts as a match here, because other code checks its type. */
export const timeMismatches = {
  exp({ exp }: JsonObject, { now, skew }: TimeRules): Mismatch | undefined {
    if (!isTime(exp) || now < exp + skew) return undefined;
    const late = `expired ${durationInWords(now - exp)} ago; ${clockInWords({ now, skew })}`;
    return mismatch('exp', instantInWords(exp), `later than ${instantInWords(now - skew)}`, late);
  },
  nbf({ nbf }: JsonObject, rules: TimeRules): Mismatch | undefined {
    return isTime(nbf) ? early('nbf', nbf, 'begins', rules) : undefined;
  },
  iat({ iat }: JsonObject, rules: TimeRules): Mismatch | undefined {
    return isTime(iat) ? early('iat', iat, 'was issued', rules) : undefined;
  },
} as const;

function early(claim: string, time: number, verb: string, { now, skew }: TimeRules): Mismatch | undefined {
  if (now >= time - skew) return undefined;
  const differs = `${verb} ${durationInWords(time - now)} from now; ${clockInWords({ now, skew })}`;
  return mismatch(claim, instantInWords(time), `${instantInWords(now + skew)} or earlier`, differs);
}

/** A token whose lifetime is longer than accepted. Without `iat`, the lifetime counts from now. */
export function lifetimeMismatch(claims: JsonObject, { now, skew, maxLifetime }: LifetimeRules): Mismatch | undefined {
  if (!livesLonger(claims, now, maxLifetime + skew)) return undefined;
  const { exp, iat } = claims;
  const [from, begin] = isTime(iat) ? ['iat', iat] : ['now', now];
  const lives = `${durationInWords(Number(exp) - begin)} from ${from} to exp`;
  return mismatch('exp', lives, `at most ${durationInWords(maxLifetime)}`);
}

function clockInWords({ now, skew }: TimeRules): string {
  return `now ${instantInWords(now)}, skew ${durationInWords(skew)}`;
}
