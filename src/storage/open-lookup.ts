import { splitStorageUrl } from '../base/storage-urls.ts';
import type { ReadEngine } from './engine/engine.ts';
import { StorageUnusable } from './engine/errors.ts';
import { type StorageEngine, storageEngines } from './engines.ts';
import { type ReadOptions, type TokenFacts, tokenFacts } from './lookup/read.ts';

/** Opens nothing yet: the first call does, and each one after a failure. */
export function openTokenFacts(url: string, options: ReadOptions, engines = storageEngines): TokenFacts {
  return tokenFacts(openReadEngine(url, options, engines).reader);
}

/** The same without anything that is asked of it, with the row of the engine. */
export function openReadEngine(
  url: string,
  options: ReadOptions,
  engines = storageEngines,
): { readonly reader: ReadEngine; readonly engine: StorageEngine } {
  const found = splitStorageUrl(url, engines);
  if (found === undefined) throw new StorageUnusable(`storage: there is no engine that reads ${url.split(':')[0]}:`);
  return { reader: found.row.read(found.location, options), engine: found.row };
}
