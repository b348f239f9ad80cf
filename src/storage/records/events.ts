import { all, first, flag, integer, integerOrNone, type Row, run, text, type Verb } from '../engine/verb.ts';

/** The kind of thing that a revocation ends. `key` identifies it, as in the feed. */
export type EventKind = 'kid' | 'jti' | 'gid' | 'sub_nbf' | 'client_nbf' | 'token_hash' | 'reset';

/** Times are NumericDates, seconds. */
export interface EventRecord {
  /** Numbers increase in the order of the commits, so no later event has a smaller number. */
  readonly seq: number;
  readonly kind: EventKind;
  readonly key: string;
  /** The time when the last affected token expires. */
  readonly until: number;
  /** For `sub_nbf` and `client_nbf`: tokens with an earlier `iat` end. */
  readonly nbf: number | undefined;
  readonly at: number;
}

/** Seconds for which an event is kept after its tokens ended. A reader's clock may be slow by this much. */
const EVENT_SKEW = 300;

/** Seconds: the assumed longest lifetime of a token, if its end is unknown. */
export const LONGEST_LIFE = 86_400;

/** The distance between numbers of two seconds, unless more numbers are needed. */
const A_SECOND = 1_000_000;

/** Reserves a number, and locks the row until the transaction ends. */
const NEXT = `
  INSERT INTO event_feed (id, last_seq, pruned_seq) VALUES (1, $1, 0)
  ON CONFLICT (id) DO UPDATE SET last_seq =
    CASE WHEN event_feed.last_seq >= excluded.last_seq THEN event_feed.last_seq + 1 ELSE excluded.last_seq END`;

/**
 * Writes an event to the feed, in the transaction of the change itself, as the last step of a verb. A row lock until the commit
 * keeps the numbers in order. A number follows the clock, so a restored database repeats none. Normal expiry is not reported.
 */
export function* reportEvent(kind: EventKind, key: string, until: number, now: number, nbf?: number): Verb<void> {
  if (until <= now) return;
  yield* run(NEXT, now * A_SECOND);
  yield* run(
    `INSERT INTO event (seq, kind, key, until, nbf, at)
     VALUES ((SELECT last_seq FROM event_feed WHERE id = 1), $1, $2, $3, $4, $5)`,
    kind,
    key,
    until,
    nbf,
    now,
  );
}

/** Reports the ends of grants or session keys, one by one. */
export function* reportEach(kind: EventKind, ends: readonly Ending[], now: number): Verb<void> {
  for (const { key, until } of ends) yield* reportEvent(kind, key, until, now);
}

export interface Ending {
  readonly key: string;
  readonly until: number;
}

/** The latest end, at least `least`. It uses a loop, because a client may have more grants than a call may have arguments. */
export function lastEnd(ends: readonly Ending[], least: number): number {
  return ends.reduce((last, { until }) => Math.max(last, until), least);
}

/** The events after the number `since`, in the order of their commits. */
export function* listEvents(since: number, limit: number): Verb<readonly EventRecord[]> {
  return (yield* all('SELECT * FROM event WHERE seq > $1 ORDER BY seq LIMIT $2', since, limit)).map(event);
}

/** The state of the feed, and the status of a reader's number. */
export interface FeedPosition {
  /** The last assigned number; 0 before the first. */
  readonly last: number;
  /** The highest removed number; 0 if none was removed. */
  readonly pruned: number;
  /** True if an event with this number exists. */
  readonly known: boolean;
}

export function* findFeedPosition(cursor: number): Verb<FeedPosition> {
  const row = yield* first(
    `SELECT last_seq, pruned_seq, CASE WHEN EXISTS (SELECT 1 FROM event WHERE seq = $1) THEN 1 ELSE 0 END AS known
     FROM event_feed WHERE id = 1`,
    cursor,
  );
  if (row === undefined) return { last: 0, pruned: 0, known: false };
  return { last: integer(row, 'last_seq'), pruned: integer(row, 'pruned_seq'), known: flag(row, 'known') };
}

/** Removes up to `limit` events whose tokens ended long enough ago. Returns their number. */
export function* pruneEvents(now: number, limit: number): Verb<number> {
  const rows = yield* all(
    'DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE until <= $1 ORDER BY seq LIMIT $2) RETURNING seq',
    now - EVENT_SKEW,
    limit,
  );
  const highest = Math.max(0, ...rows.map((row) => integer(row, 'seq')));
  if (highest > 0) yield* run('UPDATE event_feed SET pruned_seq = $1 WHERE pruned_seq < $1', highest);
  return rows.length;
}

function event(row: Row): EventRecord {
  return {
    seq: integer(row, 'seq'),
    kind: text(row, 'kind') as EventKind,
    key: text(row, 'key'),
    until: integer(row, 'until'),
    nbf: integerOrNone(row, 'nbf'),
    at: integer(row, 'at'),
  };
}
