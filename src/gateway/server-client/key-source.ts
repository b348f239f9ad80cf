import { resolve } from 'node:path';
import { readKeySetFile } from '../../config/files/key-set-file.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { FETCH_DEADLINE, type Fetched, type FetchJson, failed } from './fetch-json.ts';
import type { Metadata } from './metadata.ts';

/** Where a key set comes from. Never rejects. */
export interface KeySource {
  load(): Promise<Fetched>;
  /** Milliseconds between two looks while all is well. */
  readonly every: number;
  /** False: what `load` gave last had come before it was asked for, and says nothing of a key that is new. */
  readonly isNewer?: () => boolean;
  /** Where somebody else may learn of newer keys: gives each set that came, until the returned function is called. */
  readonly follow?: (came: (set: Fetched) => void) => () => void;
}

/** As the block of a server says. */
export function keySourceOf(
  { jwks_file, jwks_uri, jwks }: Pick<AuthorizationServerConfig, 'jwks_file' | 'jwks_uri' | 'jwks'>,
  { fetch, about, directory }: { fetch: FetchJson; about: Metadata; directory: string },
): KeySource {
  return jwks_file === undefined
    ? keysFromServer(fetch, jwks_uri, about, jwks.ttl)
    : keysFromFile(resolve(directory, jwks_file));
}

const LOOK_EVERY = 2_000;

function keysFromServer(fetch: FetchJson, uri: string | undefined, metadata: Metadata, ttl: number): KeySource {
  return {
    every: ttl,
    async load() {
      const url = uri ?? (await metadata.endpoint('jwks_uri'));
      if (typeof url !== 'string') return url;
      return fetch({ url, signal: AbortSignal.timeout(FETCH_DEADLINE), judgeType: false });
    },
  };
}

/** Read again and again by name: that sees a replaced file and a moved symbolic link, on every file system. */
function keysFromFile(path: string): KeySource {
  return {
    every: LOOK_EVERY,
    async load() {
      const read = readKeySetFile(path);
      if (!read.ok) return failed(`the key file ${read.hint === undefined ? 'cannot be read: ENOENT' : read.reason}`);
      const value = parseJsonObject(read.bytes);
      return value === undefined ? failed('the key file is not a valid JSON object') : { kind: 'json', value };
    },
  };
}
