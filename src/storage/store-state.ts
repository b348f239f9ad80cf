import { integer, text } from './columns.ts';
import { migrations } from './migrations/index.ts';
import { missing } from './migrations/journal.ts';
import type { ReadOptions } from './read.ts';
import { openReadEngine } from './read-open.ts';
import { all, first, type Row, type Verb } from './verb.ts';

/** How far a store is, without a change to it. */
export interface StoreState {
  /** Migrations that the next start would carry out; all of them where there are no tables yet. */
  readonly missing: number;
  readonly isEmpty: boolean;
  /** Milliseconds since the epoch by the clock of a database server; undefined where there is none. */
  readonly now: number | undefined;
}

interface Dialect {
  /** One row where the tables of this program are there. */
  readonly journal: string;
  readonly now?: string;
}

const sqlite: Dialect = { journal: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'` };
const postgres: Dialect = {
  journal: `SELECT 1 WHERE to_regclass('migration') IS NOT NULL`,
  now: 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now',
};

/** URL scheme → what is asked there in a way of its own. */
const dialects: Readonly<Record<string, Dialect>> = { sqlite, postgres, postgresql: postgres };

/**
 * Rejects with `StorageUnavailable` where it cannot be read, and with `StorageUnusable` where it is not one of this
 * program, or one of a newer version.
 */
export async function storeState(url: string, options: ReadOptions): Promise<StoreState> {
  const engine = openReadEngine(url, { ...options, traceless: true });
  try {
    const { rows, now } = await engine.read(() => look(dialects[url.split(':')[0] ?? ''] ?? sqlite));
    const applied = rows?.map((row) => ({ version: integer(row, 'version'), checksum: text(row, 'checksum') }));
    return { missing: missing(applied ?? [], migrations).length, isEmpty: applied === undefined, now };
  } finally {
    await engine.close();
  }
}

interface Looked {
  readonly rows: readonly Row[] | undefined;
  readonly now: number | undefined;
}

function* look({ journal, now }: Dialect): Verb<Looked> {
  const found = yield* first(journal);
  const rows = found && (yield* all('SELECT version, checksum FROM migration'));
  const told = now === undefined ? undefined : yield* first(now);
  return { rows, now: told && integer(told, 'now') };
}
