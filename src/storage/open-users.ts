import { resolve } from 'node:path';
import { storagePlace } from '../base/storage-urls.ts';
import { decodeKeys, type EncryptionKeys, readKeyBeside } from './engine/encryption-keys.ts';
import { StorageUnusable } from './engine/errors.ts';
import { buildSeal } from './engine/seal.ts';
import { type StorageEngine, storageEngines } from './engines.ts';
import type { ReadOptions } from './lookup/read.ts';
import { type UserFacts, userFacts } from './lookup/users.ts';
import { openReadEngine } from './open-lookup.ts';

export interface UserReadOptions extends ReadOptions {
  /** 32 bytes in base64 each; absent: the key file beside the database, which this program never makes. */
  readonly encryptionKeys?: readonly string[] | undefined;
}

/** Does not connect yet: the first call, or the next call after a failure, opens the database. */
export function openUserFacts(url: string, options: UserReadOptions, engines = storageEngines): UserFacts {
  const { reader, engine } = openReadEngine(url, options, engines);
  const keys = () => decodeKeys(options.encryptionKeys) ?? keysOf(url, options.directory, engine);
  return userFacts(reader, () => buildSeal(keys()));
}

function keysOf(url: string, directory: string, engine: StorageEngine): EncryptionKeys {
  const place = storagePlace(url, [engine]);
  if (place?.kind === 'file') return readKeyBeside(resolve(directory, place.path));
  throw new StorageUnusable(`the users in ${engine.title} are encrypted: set \`encryption_keys\``);
}
