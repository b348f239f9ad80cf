import { splitStorageUrl } from '../base/storage-urls.ts';
import type { ReadEngine } from './engine/engine.ts';
import { StorageUnusable } from './engine/errors.ts';
import { type StorageEngine, storageEngines } from './engines.ts';
import { type ReadOptions, type TokenFacts, tokenFacts } from './lookup/read.ts';

/** Does not connect yet: the first call, or the next call after a failure, opens the database. */
export function openTokenFacts(url: string, options: ReadOptions, engines = storageEngines): TokenFacts {
  return tokenFacts(openReadEngine(url, options, engines).reader);
}

/** The engine for a storage URL, and the row of its kind. */
export function openReadEngine(
  url: string,
  options: ReadOptions,
  engines = storageEngines,
): { readonly reader: ReadEngine; readonly engine: StorageEngine } {
  const found = splitStorageUrl(url, engines);
  if (found === undefined) throw new StorageUnusable(`storage: no engine can read a database at ${url.split(':')[0]}:`);
  return { reader: found.row.read(found.location, options), engine: found.row };
}
