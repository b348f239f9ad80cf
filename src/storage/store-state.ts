import { all, first, integer, type Row, text, type Verb } from './engine/verb.ts';
import { type StoreCheck, storageEngines } from './engines.ts';
import type { ReadOptions } from './lookup/read.ts';
import { migrations } from './migrations/index.ts';
import { missing } from './migrations/journal.ts';
import { openReadEngine } from './open-lookup.ts';
import { countByKey } from './records/reseal.ts';

/** The state of a store. Reading it changes nothing. */
export interface StoreState {
  /** Migrations that the next start will run; all of them if there are no tables yet. */
  readonly missing: number;
  readonly isEmpty: boolean;
  /** Id of an encryption key, in hexadecimal → number of values sealed with it. Empty if tables are missing. */
  readonly sealed: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch by the clock of a database server; undefined if there is none. */
  readonly now: number | undefined;
}

/**
 * Rejects with `StorageUnavailable` if the store cannot be read. Rejects with `StorageUnusable` if it belongs to another
 * program, or to a newer version.
 */
export async function storeState(url: string, options: ReadOptions, engines = storageEngines): Promise<StoreState> {
  const { reader, engine } = openReadEngine(url, { ...options, traceless: true }, engines);
  try {
    const { rows, now } = await reader.read(() => look(engine.check));
    const applied = rows?.map((row) => ({ version: integer(row, 'version'), checksum: text(row, 'checksum') }));
    const left = missing(applied ?? [], migrations).length;
    const sealed = left > 0 ? new Map<string, number>() : await reader.read(countByKey);
    return { missing: left, isEmpty: applied === undefined, sealed, now };
  } finally {
    await reader.close();
  }
}

interface Looked {
  readonly rows: readonly Row[] | undefined;
  readonly now: number | undefined;
}

function* look({ journal, now }: StoreCheck): Verb<Looked> {
  const found = yield* first(journal);
  const rows = found && (yield* all('SELECT version, checksum FROM migration'));
  const told = now === undefined ? undefined : yield* first(now);
  return { rows, now: told && integer(told, 'now') };
}
