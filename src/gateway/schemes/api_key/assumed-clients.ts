import { systemClock } from '../../../base/clock.ts';
import { refused } from '../../../base/verdict.ts';
import { type ApiKeyEntry, parseApiKeys, writtenTime } from '../../../config/files/api-keys.ts';
import { readUserFile } from '../../../config/files/user-file.ts';
import type { CredentialCode } from '../../message/codes.ts';
import type { Assumed } from '../scheme.ts';
import { isExpired } from './api-key-scheme.ts';
import { identityOfKey } from './key-identity.ts';

/**
 * The assumed client, found by the id of a key or by its own name. For several keys of a client, the first in the file
 * that has not expired counts. A client that is not in the file has no scope. Without a directory, no file is read, and
 * a store is never asked.
 */
export function assumedClients(
  /** Undefined: the keys are in a store. */
  keys: string | undefined,
  realm: string,
  directory: string | undefined,
): Pick<Assumed, 'identityOf' | 'refusalOf'> {
  const read =
    keys === undefined || directory === undefined ? undefined : readUserFile(keys, { directory }, parseApiKeys);
  const entries = read?.ok === true ? read.users : [];
  const find = (name: string) => keyOf(entries, name);
  return {
    identityOf: (name) => identityOfKey(realm, find(name) ?? { client: name, scopes: [], expiresAt: undefined }),
    refusalOf(name) {
      const key = find(name);
      if (!isExpired(key?.expiresAt, systemClock)) return undefined;
      return refused<CredentialCode>('api_key_expired', `key ${key?.id}, at ${writtenTime(key?.expiresAt)}`);
    },
  };
}

function keyOf(entries: readonly ApiKeyEntry[], name: string): ApiKeyEntry | undefined {
  const own = entries.filter(({ id, client }) => id === name || client === name);
  return own.find(({ id }) => id === name) ?? own.find(({ expiresAt }) => !isExpired(expiresAt, systemClock)) ?? own[0];
}
