import type { Clock } from '../base/clock.ts';
import type { KeySource } from '../gateway/server-client/key-source.ts';
import type { SentKeys } from './messages.ts';

export interface SharedKeysOptions {
  readonly source: KeySource;
  /** Milliseconds, as configured. A set of this age may lack a key that a worker has just met. */
  readonly cooldown: number;
  readonly clock: Clock;
  readonly came: (keys: SentKeys) => void;
}

/** Milliseconds before a retry after a failure. */
const PAUSE = 1_000;

/**
 * One fetch for all workers. A worker with an older set gets the last one, unless that set is so old that the key may
 * be newer. A worker that already has the last set triggers a new fetch, at most one in a cooldown. Every set goes to
 * all workers, so no worker fetches a set that another worker has.
 */
export function sharedKeys({ source, cooldown, clock, came }: SharedKeysOptions): (have: number) => Promise<SentKeys> {
  const freshFor = Math.min(cooldown, source.every / 2);
  let good: { readonly sent: SentKeys; readonly at: number } | undefined;
  let last: SentKeys = { version: 0, set: { kind: 'failed', detail: 'not asked yet' } };
  let at = Number.NEGATIVE_INFINITY;
  let began = Number.NEGATIVE_INFINITY;
  let nextQuestion = Number.NEGATIVE_INFINITY;
  let flight: Promise<SentKeys> | undefined;

  const load = async (): Promise<SentKeys> => {
    const from = clock.monotonic();
    const set = await source.load();
    began = from;
    last = { version: last.version + 1, set };
    at = clock.monotonic();
    if (set.kind === 'json') good = { sent: last, at: from };
    flight = undefined;
    came(last);
    return last;
  };
  const serves = (have: number) => {
    const now = clock.monotonic();
    // A starting worker needs no particular key, so the others' set is sufficient.
    if (have === 0 && good !== undefined && now - good.at < source.every / 2) return true;
    if (last.set.kind === 'failed') return now - at < Math.min(PAUSE, freshFor);
    return last.version > have ? now - at < freshFor : now < nextQuestion;
  };
  /**
   * A worker that starts during an outage uses the same set as the others, and for as long. The age counts from the
   * start of the fetch, because the set may lack every later key.
   */
  const aged = (have: number): SentKeys => {
    const { sent, at: from } = have === 0 && good !== undefined ? good : { sent: last, at: began };
    const { version, set } = sent;
    return set.kind === 'json' ? { version, set: { ...set, age: clock.monotonic() - from } } : sent;
  };
  const answered = async (have: number): Promise<SentKeys> => {
    if (flight !== undefined) return flight;
    if (serves(have)) return aged(have);
    if (have > 0 && have === last.version) nextQuestion = clock.monotonic() + freshFor;
    flight = load();
    const told = await flight;
    return told.set.kind === 'failed' ? aged(have) : told;
  };
  return async (have) => {
    if (flight === undefined) return answered(have);
    const earlier = await flight;
    // This fetch began before the question, so it may lack a key that the worker has just met.
    return have === 0 || earlier.set.kind === 'failed' ? earlier : answered(earlier.version);
  };
}
