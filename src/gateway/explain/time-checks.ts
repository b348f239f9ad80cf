import { quoted } from '../../base/quoted.ts';
import { durationInWords, instantInWords } from '../../base/time-in-words.ts';
import { type LifetimeRules, lifetimeMismatch, timeMismatches } from '../../jwt/claim-mismatches.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';
import { fails, failsBy, fits, type TokenCheck } from './token-check.ts';

export interface TimeCheckRules extends LifetimeRules {
  /** Seconds after `exp` for which the token is still valid. */
  readonly leeway: number;
}

/** Compares exp, nbf and iat with the clock. A claim that is absent and not required has no line. */
export function timeChecks(claims: JsonObject, rules: TimeCheckRules, needsExp: boolean): readonly TokenCheck[] {
  const { exp, nbf, iat } = claims;
  const { now, skew, leeway } = rules;
  const lasting = lifetimeMismatch(claims, rules);
  return [
    ...(exp === undefined && !needsExp ? [] : [timeCheck('exp', claims, { now, skew: leeway })]),
    ...(lasting === undefined ? [] : [failsBy(lasting, 'lifetime')]),
    ...(nbf === undefined ? [] : [timeCheck('nbf', claims, { now, skew })]),
    ...(iat === undefined ? [] : [timeCheck('iat', claims, { now, skew })]),
  ];
}

type TimeClaim = keyof typeof timeMismatches;

const limits: Readonly<Record<TimeClaim, (now: number, skew: number) => string>> = {
  exp: (now, skew) => `later than ${instantInWords(now - skew)}`,
  nbf: (now, skew) => `${instantInWords(now + skew)} or earlier`,
  iat: (now, skew) => `${instantInWords(now + skew)} or earlier`,
};

function timeCheck(name: TimeClaim, claims: JsonObject, { now, skew }: { now: number; skew: number }): TokenCheck {
  const time = claims[name];
  if (!isTime(time)) return fails(name, quoted(time), 'a number of seconds');
  const mismatch = timeMismatches[name](claims, { now, skew });
  if (mismatch !== undefined) return failsBy(mismatch);
  const distance = durationInWords(time - now);
  return fits(name, instantInWords(time), limits[name](now, skew), time > now ? `in ${distance}` : `${distance} ago`);
}
