import { resolve } from 'node:path';
import { readKeySetFile } from '../../config/files/key-set-file.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { FETCH_DEADLINE, type Fetched, type FetchJson, failed, located } from './fetch-json.ts';
import type { Metadata } from './metadata.ts';

/** Where a key set comes from. Never rejects. */
export interface KeySource {
  load(): Promise<Fetched>;
  /** Milliseconds between two loads while all is well. */
  readonly every: number;
  /** False: the last result of `load` had arrived before the call, so it may lack a new key. */
  readonly isNewer?: () => boolean;
  /**
   * For sources that learn of newer keys from elsewhere. Passes each set that arrives, until the returned function is
   * called.
   */
  readonly follow?: (came: (set: Fetched) => void) => () => void;
}

/** The source that a server's block names. */
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
      return located(await fetch({ url, signal: AbortSignal.timeout(FETCH_DEADLINE), judgeType: false }), url);
    },
  };
}

/**
 * Reads the file again each time by its name. This notices a replaced file and a moved symbolic link, on every file
 * system.
 */
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
