import { all, first, flag, integer, integerOrNone, type Row, run, text, type Verb } from '../engine/verb.ts';

/** What a revocation ends; `key` names which, as in the feed. */
export type EventKind = 'kid' | 'jti' | 'gid' | 'sub_nbf' | 'client_nbf' | 'token_hash' | 'reset';

/** Times are NumericDates, seconds. */
export interface EventRecord {
  /** Rises in the order of the commits: everything up to a number is read once and for all. */
  readonly seq: number;
  readonly kind: EventKind;
  readonly key: string;
  /** When the last token concerned ends by itself. */
  readonly until: number;
  /** For `sub_nbf` and `client_nbf`: ends tokens with an earlier `iat`. */
  readonly nbf: number | undefined;
  readonly at: number;
}

/** Seconds for which an event is kept after its tokens ended: by so much the clock of a reader may be slow. */
const EVENT_SKEW = 300;

/** Seconds: where it is not known when the last token ends, none is taken to live longer. */
export const LONGEST_LIFE = 86_400;

/** Seconds between numbers that are a second apart, if fewer are needed. */
const A_SECOND = 1_000_000;

/** Makes place for a number, and holds the row until the transaction ends. */
const NEXT = `
  INSERT INTO event_feed (id, last_seq, pruned_seq) VALUES (1, $1, 0)
  ON CONFLICT (id) DO UPDATE SET last_seq =
    CASE WHEN event_feed.last_seq >= excluded.last_seq THEN event_feed.last_seq + 1 ELSE excluded.last_seq END`;

/**
 * Writes an event to the feed, in the transaction of the change itself: the last steps of a verb. The number is assigned
 * under a row lock that lasts until the commit, so numbers appear in order. It follows the clock, so a database restored from
 * a backup repeats none. Natural expiry is not reported.
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

/** Ends of grants or session keys, told one by one. */
export function* reportEach(kind: EventKind, ends: readonly Ending[], now: number): Verb<void> {
  for (const { key, until } of ends) yield* reportEvent(kind, key, until, now);
}

export interface Ending {
  readonly key: string;
  readonly until: number;
}

/** The latest of them, `least` at the least. A client may have more grants than a call takes arguments. */
export function lastEnd(ends: readonly Ending[], least: number): number {
  return ends.reduce((last, { until }) => Math.max(last, until), least);
}

/** In the order of their commits, those after the number `since`. */
export function* listEvents(since: number, limit: number): Verb<readonly EventRecord[]> {
  return (yield* all('SELECT * FROM event WHERE seq > $1 ORDER BY seq LIMIT $2', since, limit)).map(event);
}

/** Where the feed stands, and what a number is that somebody read up to. */
export interface FeedPosition {
  /** The last assigned number; 0 before the first. */
  readonly last: number;
  /** The highest number of the removed ones; 0 before the first. */
  readonly pruned: number;
  /** Whether there is an event of this number. */
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

/** Removes up to `limit` of those whose tokens ended long enough ago; answers how many. */
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
