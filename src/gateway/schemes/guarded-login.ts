import type { Attempt, Throttle } from '../../storage/counters-throttle.ts';
import type { SchemeVerification } from '../identity.ts';

/** Whose password is guessed, and from where. */
export interface Guarded {
  readonly throttle: Throttle;
  readonly name: string;
  readonly address: string;
}

type Answer = SchemeVerification | Promise<SchemeVerification>;

/** Judges a login unless there were too many wrong ones; a wrong one counts. In memory it is as sync as the judge. */
export function guard(guarded: Guarded, judge: () => Answer): Answer {
  const attempt = attemptOf(guarded);
  return attempt instanceof Promise
    ? attempt.then((told) => tried(guarded, told, judge))
    : tried(guarded, attempt, judge);
}

function attemptOf({ throttle, name, address }: Guarded): Attempt | Promise<Attempt> {
  return throttle.attempt(name, address);
}

function tried(guarded: Guarded, attempt: Attempt, judge: () => Answer): Answer {
  if (attempt.retryAfter !== undefined) return throttled(attempt.retryAfter);
  const verification = judge();
  return verification instanceof Promise
    ? verification.then((told) => judgedLater(guarded, told))
    : counted(attempt, verification);
}

/** Of a burst of guesses no more are looked at than one after another: what was tried at the same time counts too. */
async function judgedLater(guarded: Guarded, verification: SchemeVerification): Promise<SchemeVerification> {
  if (verification.kind === 'outage') return verification;
  const attempt = await attemptOf(guarded);
  return attempt.retryAfter === undefined ? counted(attempt, verification) : throttled(attempt.retryAfter);
}

function counted(attempt: Attempt, verification: SchemeVerification): Answer {
  if (verification.kind !== 'refused' || verification.code !== 'password_wrong') return verification;
  const failed = attempt.fail();
  return failed instanceof Promise ? failed.then(() => verification) : verification;
}

function throttled(retryAfter: number): SchemeVerification {
  return { kind: 'throttled', retryAfter };
}
