import type { ReadEngine } from './engine.ts';
import { StorageUnusable } from './errors.ts';
import { type ReadOptions, type TokenFacts, tokenFacts } from './read.ts';
import { readPostgres } from './read-postgres.ts';
import { readSqlite } from './read-sqlite.ts';

/** URL scheme → how it is read. */
const engines: Readonly<Record<string, (location: string, options: ReadOptions) => ReadEngine>> = {
  sqlite: readSqlite,
  postgres: readPostgres,
  postgresql: readPostgres,
};

/** Opens nothing yet: the first call does, and each one after a failure. */
export function openTokenFacts(url: string, options: ReadOptions): TokenFacts {
  return tokenFacts(openReadEngine(url, options));
}

/** The same without anything that is asked of it. */
export function openReadEngine(url: string, options: ReadOptions): ReadEngine {
  const [scheme = '', ...location] = url.split(':');
  const open = Object.hasOwn(engines, scheme) ? engines[scheme] : undefined;
  if (open === undefined) throw new StorageUnusable(`storage: there is no engine that reads ${scheme}:`);
  return open(location.join(':'), options);
}
