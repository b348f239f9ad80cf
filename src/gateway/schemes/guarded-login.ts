import type { Attempt, Throttle } from '../../counters/throttle.ts';
import { entry } from '../message/codes.ts';
import type { SchemeVerification } from '../message/identity.ts';

/** The name whose password or key a client tries, and the client's address. */
export interface Guarded {
  readonly throttle: Throttle;
  readonly name: string;
  readonly address: string;
}

type Answer = SchemeVerification | Promise<SchemeVerification>;

/**
 * Judges a login unless there were too many wrong ones. A wrong login counts. The result is synchronous if the counters
 * and the judge are.
 */
export function guardLogin(guarded: Guarded, judge: () => Answer): Answer {
  const attempt = attemptOf(guarded);
  return attempt instanceof Promise
    ? attempt.then((told) => triedLater(guarded, told, judge))
    : tried(guarded, attempt, judge);
}

function attemptOf({ throttle, name, address }: Guarded): Attempt | Promise<Attempt> {
  return throttle.attempt(name, address);
}

function tried(guarded: Guarded, attempt: Attempt, judge: () => Answer): Answer {
  if (attempt.retryAfter !== undefined) return throttled(attempt.retryAfter);
  const verification = judge();
  return verification instanceof Promise
    ? verification.then((told) => judgedLater(guarded, attempt, told))
    : counted(attempt, verification);
}

/** Several logins may get an attempt before the first of them is judged. */
async function triedLater(guarded: Guarded, attempt: Attempt, judge: () => Answer): Promise<SchemeVerification> {
  if (attempt.retryAfter !== undefined) return throttled(attempt.retryAfter);
  return judgedLater(guarded, attempt, await judge());
}

/**
 * Attempts in flight count, so a burst of guesses gets no more answers than the same guesses in sequence. A wrong guess
 * counts at once and reports its number. A correct login checks again, so it finds all earlier guesses counted.
 */
async function judgedLater(
  guarded: Guarded,
  first: Attempt,
  verification: SchemeVerification,
): Promise<SchemeVerification> {
  if (verification.kind === 'outage') return verification;
  if (isWrong(verification)) return counted(first, verification);
  const { retryAfter } = await attemptOf(guarded);
  return retryAfter === undefined ? verification : throttled(retryAfter);
}

function isWrong(verification: SchemeVerification): boolean {
  return verification.kind === 'refused' && entry(verification.code).guess === true;
}

function counted(attempt: Attempt, verification: SchemeVerification): Answer {
  if (!isWrong(verification)) return verification;
  const told = (retryAfter: number | undefined) => (retryAfter === undefined ? verification : throttled(retryAfter));
  const failed = attempt.fail();
  return failed instanceof Promise ? failed.then(told) : told(failed);
}

function throttled(retryAfter: number): SchemeVerification {
  return { kind: 'throttled', retryAfter };
}
