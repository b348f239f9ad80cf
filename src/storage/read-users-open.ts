import { resolve } from 'node:path';
import { decodeKeys, readKeyBeside } from './encryption-keys.ts';
import { StorageUnusable } from './errors.ts';
import type { ReadOptions } from './read.ts';
import { openReadEngine } from './read-open.ts';
import { type UserFacts, userFacts } from './read-users.ts';
import { buildSeal } from './seal.ts';

export interface UserReadOptions extends ReadOptions {
  /** 32 bytes of base64 each; absent: the key file beside the database, which is never made here. */
  readonly encryptionKeys?: readonly string[] | undefined;
}

/** Opens nothing yet: the first call does, and each one after a failure. */
export function openUserFacts(url: string, options: UserReadOptions): UserFacts {
  const keys = () => decodeKeys(options.encryptionKeys) ?? keysOf(url, options.directory);
  return userFacts(openReadEngine(url, options), () => buildSeal(keys()));
}

function keysOf(url: string, directory: string) {
  const [, file] = /^sqlite:(.+)$/s.exec(url) ?? [];
  if (file !== undefined) return readKeyBeside(resolve(directory, file));
  throw new StorageUnusable('the users in PostgreSQL are sealed: `encryption_keys` opens them');
}
