import { changed, type Verb } from '../engine/verb.ts';

/** A value that can be used once: its hash, and the time until which it must be remembered. */
export interface OneTime {
  readonly hash: Uint8Array;
  readonly until: number;
}

/** False if the value was already used. */
export function* useOnce({ hash, until }: OneTime): Verb<boolean> {
  return yield* changed(
    'INSERT INTO one_time (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING RETURNING until',
    hash,
    until,
  );
}
