import { readFile, stat } from 'node:fs/promises';
import { parseJsonObject } from '../../jwt/json.ts';
import { DEADLINE, type Fetched, type FetchJson, failed } from './fetch-json.ts';
import type { Metadata } from './metadata.ts';

/** Where a key set comes from. Never rejects. */
export interface KeySource {
  load(): Promise<Fetched>;
  /** Milliseconds between two looks while all is well. */
  readonly every: number;
}

const MAX_FILE = 1024 * 1024;
const LOOK_EVERY = 2_000;

export function keysFromServer(fetch: FetchJson, uri: string | undefined, metadata: Metadata, ttl: number): KeySource {
  return {
    every: ttl,
    async load() {
      const url = uri ?? (await metadata.endpoint('jwks_uri'));
      if (typeof url !== 'string') return url;
      return fetch({ url, signal: AbortSignal.timeout(DEADLINE), judgeType: false });
    },
  };
}

/** Read again and again by name: that sees a replaced file and a moved symbolic link, on every file system. */
export function keysFromFile(path: string): KeySource {
  return {
    every: LOOK_EVERY,
    async load() {
      try {
        if ((await stat(path)).size > MAX_FILE) return failed('the key file is too large');
        const value = parseJsonObject(await readFile(path));
        return value === undefined ? failed('the key file is not a sound JSON object') : { kind: 'json', value };
      } catch (error) {
        return failed(`the key file cannot be read: ${(error as NodeJS.ErrnoException).code}`);
      }
    },
  };
}
