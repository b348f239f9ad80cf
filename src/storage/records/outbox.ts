import { all, first, integer, type Row, run, type Verb } from '../engine/verb.ts';

/** A table of what others must still hear. The row of a receiver stays until the receiver has answered. */
export interface OutboxTable {
  readonly table: string;
  /** The column that, together with the receiver, identifies a row. */
  readonly key: string;
  /** The column with the receiver. */
  readonly receiver: string;
}

/** The attempts of one row. */
export interface Attempted {
  readonly createdAt: number;
  /** This attempt included. */
  readonly attempts: number;
}

export interface NoticeClaim {
  readonly now: number;
  /** Until then, no other process takes the row. After a crash, another attempt follows. */
  readonly leaseUntil: number;
  readonly limit: number;
  /** The most rows for one receiver, so that no receiver delays the rows of the others. */
  readonly share: number;
}

/** Takes rows for these receivers alone, or for all others. */
export type Receivers = { readonly only: readonly string[] } | { readonly except: readonly string[] };

/**
 * Rows that are compared at once. After an outage there may be a hundred thousand, and the sender asks again as soon as a
 * receiver has its share.
 */
const LOOKED_AT = 1_000;

/**
 * Takes due rows. Of several processes, only one gets each row. Receivers take turns, and first attempts come before later
 * ones.
 */
export function* takeDue(
  { table, key, receiver }: OutboxTable,
  { now, leaseUntil, limit, share }: NoticeClaim,
  receivers: Receivers,
): Verb<readonly Row[]> {
  const [among, ids] = 'only' in receivers ? ['IN', receivers.only] : ['NOT IN', receivers.except];
  const chosen = ids.length === 0 ? '' : `AND ${receiver} ${among} (${ids.map((_, index) => `$${index + 5}`)})`;
  return yield* all(
    `UPDATE ${table} SET next_at = $2, attempts = attempts + 1
     WHERE next_at <= $1 AND (${key}, ${receiver}) IN
       (SELECT ${key}, ${receiver} FROM
         (SELECT ${key}, ${receiver}, next_at, attempts AS tried,
           row_number() OVER (PARTITION BY ${receiver} ORDER BY attempts, next_at) AS place
          FROM (SELECT ${key}, ${receiver}, next_at, attempts FROM ${table}
                WHERE next_at <= $1 ${chosen} ORDER BY next_at LIMIT ${LOOKED_AT}) AS earliest) AS due
        WHERE place <= $4 ORDER BY place, tried, next_at LIMIT $3)
     RETURNING *`,
    now,
    leaseUntil,
    limit,
    share,
    ...ids,
  );
}

export function* drop({ table, key, receiver }: OutboxTable, id: string, to: string): Verb<void> {
  yield* run(`DELETE FROM ${table} WHERE ${key} = $1 AND ${receiver} = $2`, id, to);
}

export function* delay(
  { table, key, receiver }: OutboxTable,
  [id, to]: readonly [id: string, receiver: string],
  nextAt: number,
): Verb<void> {
  yield* run(`UPDATE ${table} SET next_at = $3 WHERE ${key} = $1 AND ${receiver} = $2`, id, to, nextAt);
}

/** How many rows wait. */
export function* countWaiting({ table }: OutboxTable): Verb<number> {
  const row = yield* first(`SELECT count(*) AS waiting FROM ${table}`);
  return row === undefined ? 0 : integer(row, 'waiting');
}

export function attempted(row: Row): Attempted {
  return { createdAt: integer(row, 'created_at'), attempts: integer(row, 'attempts') };
}
