import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadEngine } from '../../../src/storage/engine/engine.ts';
import { StorageUnavailable } from '../../../src/storage/engine/errors.ts';
import type { ReadOptions } from '../../../src/storage/lookup/read.ts';
import { Tables } from './tables.ts';

/** `filelog:FILE` that another process writes, and that may not exist yet. */
export function readFileLog(location: string, { directory }: ReadOptions): ReadEngine {
  const file = resolve(directory, location);
  const tables = new Tables(file);
  return {
    async read(verb) {
      if (!existsSync(file)) throw new StorageUnavailable(`there is no log ${file}`);
      return tables.read(verb());
    },
    close: async () => tables.close(),
  };
}
