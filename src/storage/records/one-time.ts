import { changed, type Verb } from '../engine/verb.ts';

/** A value that must not count twice: its hash, and how long that must be remembered. */
export interface OneTime {
  readonly hash: Uint8Array;
  readonly until: number;
}

/** False where the value was used before. */
export function* useOnce({ hash, until }: OneTime): Verb<boolean> {
  return yield* changed(
    'INSERT INTO one_time (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING RETURNING until',
    hash,
    until,
  );
}
