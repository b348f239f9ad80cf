import type { Service } from '../../authorization/service/service.ts';
import { seconds } from '../../base/clock.ts';
import type { ApiKeyEntry, ApiKeyHash } from '../../config/files/api-keys.ts';
import type { ApiKeyRecord } from '../../storage/records/records.ts';
import type { ApiKeyPlace } from './api-key-place.ts';

/** The store of the authorization service. A gateway sees a change within a second. */
export function apiKeyStore({ records, clock }: Service): ApiKeyPlace {
  const now = seconds(clock);
  return {
    name: 'the store',
    list: async () => (await records.listApiKeys()).map(entryOf),
    add: async (keys) => new Set(await records.addApiKeys(keys.map((key) => recordOf(key, now)))),
    async rotate(id, made, oldUntil) {
      return (await records.rotateApiKey({ id, made: recordOf(made, now), oldUntil, now })) !== undefined;
    },
    remove: (id) => records.removeApiKey(id),
  };
}

function recordOf({ kind, hash, ...key }: ApiKeyEntry, createdAt: number): ApiKeyRecord {
  return { ...key, hash: `${kind}:${hash}`, createdAt };
}

function entryOf({ createdAt: _, hash: kept, ...key }: ApiKeyRecord): ApiKeyEntry {
  const [kind, hash = ''] = kept.split(':');
  return { ...key, kind: kind as ApiKeyHash, hash };
}
