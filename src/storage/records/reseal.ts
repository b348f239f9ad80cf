import { StorageUnusable } from '../engine/errors.ts';
import { keyIdPlace, type Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import { all, bytes, changed, first, integer, type Row, type SqlValue, type Verb } from '../engine/verb.ts';
import { sealedDigestUsers } from './digest-users.ts';
import { sealedSecrets } from './secrets.ts';
import { sealedSessionKeys } from './session-keys.ts';
import { sealedSigningKeys } from './signing-keys.ts';
import { sealedUserKeys } from './user-keys.ts';

/** The values that a start needs come first. */
const columns = {
  secrets: sealedSecrets,
  signing_keys: sealedSigningKeys,
  user_keys: sealedUserKeys,
  digest_users: sealedDigestUsers,
  session_keys: sealedSessionKeys,
} as const satisfies Readonly<Record<string, SealedColumn>>;

export type SealedKind = keyof typeof columns;

export const sealedKinds = Object.keys(columns) as readonly SealedKind[];

/** A number of values for each kind. */
export type SealedCounts = Readonly<Record<SealedKind, number>>;

export const noneSealed: SealedCounts = Object.freeze({
  secrets: 0,
  signing_keys: 0,
  user_keys: 0,
  digest_users: 0,
  session_keys: 0,
});

export interface ResealStep {
  readonly kind: SealedKind;
  /** The end of the last step; undefined for the first step. */
  readonly after: readonly SqlValue[] | undefined;
  /** The number of values in one step, which is one transaction. */
  readonly limit: number;
}

export interface Resealed {
  readonly count: number;
  /** The start of the next step; undefined: this was the last. */
  readonly next: readonly SqlValue[] | undefined;
  /** The names of values that no encryption key opens. */
  readonly unopened: readonly string[];
}

/** The 8 bytes of a sealed value that name its key. */
function keyIdOf(column: string): string {
  return `substr(${column}, ${keyIdPlace.from + 1}, ${keyIdPlace.bytes})`;
}

export function reseal(seal: Seal) {
  return {
    /**
     * Seals some values again that are not sealed with the first key. A value that another process wrote meanwhile stays
     * unchanged.
     */
    *resealSome({ kind, after, limit }: ResealStep): Verb<Resealed> {
      const rows = yield* underOthers(seal, columns[kind], { after, limit });
      const unopened: string[] = [];
      let count = 0;
      for (const row of rows) {
        const fresh = sealedAgain(seal, columns[kind], row);
        if (fresh === undefined) unopened.push(columns[kind].purpose(row));
        else if (yield* replace(columns[kind], row, fresh)) count++;
      }
      const last = rows.length < limit ? undefined : rows.at(-1);
      return { count, unopened, next: last && keyOf(columns[kind], last) };
    },

    /** The number of values of each kind that are not sealed with the first key. */
    *countUnderOtherKeys(): Verb<SealedCounts> {
      const counts = { ...noneSealed };
      for (const kind of sealedKinds) {
        const { table, column } = columns[kind];
        const sql = `SELECT count(*) AS many FROM ${table} WHERE ${keyIdOf(column)} <> $1`;
        counts[kind] = integer((yield* first(sql, seal.keyId)) ?? {}, 'many');
      }
      return counts;
    },
  };
}

/** Key id, in hexadecimal → number of values sealed with it. Opens nothing. */
export function* countByKey(): Verb<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, column } of Object.values(columns)) {
    const rows = yield* all(`SELECT ${keyIdOf(column)} AS key_id, count(*) AS many FROM ${table} GROUP BY 1`);
    for (const row of rows) {
      const id = Buffer.from(bytes(row, 'key_id')).toString('hex');
      counts.set(id, (counts.get(id) ?? 0) + integer(row, 'many'));
    }
  }
  return counts;
}

function* underOthers(
  seal: Seal,
  { table, column, key }: SealedColumn,
  { after, limit }: Pick<ResealStep, 'after' | 'limit'>,
): Verb<readonly Row[]> {
  const names = key.join(', ');
  const places = key.map((_, index) => `$${index + 3}`).join(', ');
  const from = after === undefined ? '' : `AND (${names}) > (${places})`;
  return yield* all(
    `SELECT * FROM ${table} WHERE ${keyIdOf(column)} <> $1 ${from} ORDER BY ${names} LIMIT $2`,
    seal.keyId,
    limit,
    ...(after ?? []),
  );
}

function sealedAgain(seal: Seal, { column, purpose }: SealedColumn, row: Row): Uint8Array | undefined {
  try {
    return seal.seal(seal.open(bytes(row, column), purpose(row)), purpose(row));
  } catch (error) {
    if (error instanceof StorageUnusable) return undefined;
    throw error;
  }
}

function* replace(sealed: SealedColumn, row: Row, fresh: Uint8Array): Verb<boolean> {
  const { table, column, key } = sealed;
  const where = key.map((name, index) => `${name} = $${index + 3}`).join(' AND ');
  return yield* changed(
    `UPDATE ${table} SET ${column} = $1 WHERE ${column} = $2 AND ${where} RETURNING 1 AS done`,
    fresh,
    bytes(row, column),
    ...keyOf(sealed, row),
  );
}

function keyOf({ key }: SealedColumn, row: Row): readonly SqlValue[] {
  return key.map((name) => row[name] as SqlValue);
}
