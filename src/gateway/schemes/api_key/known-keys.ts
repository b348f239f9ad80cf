import type { Asker } from '../../../base/bounded-queue.ts';
import type { ApiKeyEntry, ApiKeyHash } from '../../../config/files/api-keys.ts';
import { hashApiKey, hmacApiKey } from '../../../http-auth/api-key.ts';
import { foundOr, type UserLookup } from '../lookup-result.ts';
import type { UserStore } from '../user-store.ts';

/** The facts of a key that judge a request. */
export type KnownKey = Pick<ApiKeyEntry, 'id' | 'client' | 'scopes' | 'expiresAt'>;

/** A key as a request sends it. */
export interface SentKey {
  readonly octets: Uint8Array;
  /** The SHA-256 hash of the octets, as from `hashApiKey`. */
  readonly hash: string;
}

/**
 * The keys of one file or store. A key is looked up by its hash, so the time of a look-up reveals nothing about other
 * keys.
 */
export interface KnownKeys {
  /** `asker`: the client's address block, for the queue. */
  find(sent: SentKey, asker: Asker): UserLookup<KnownKey>;
}

export function keysOfFile(entries: readonly ApiKeyEntry[], secret: Uint8Array | undefined): KnownKeys {
  const [hashed, keyed] = [tableOf(entries, 'sha256'), tableOf(entries, 'hmac')];
  if (secret === undefined || keyed.size === 0) return { find: ({ hash }) => foundOr(hashed.get(hash)) };
  return {
    find({ hash, octets }) {
      // Both look-ups always run, so that keys of either kind take the same time.
      const [byHash, byHmac] = [hashed.get(hash), keyed.get(hmacApiKey(secret, octets))];
      return foundOr(byHash ?? byHmac);
    },
  };
}

function tableOf(entries: readonly ApiKeyEntry[], wanted: ApiKeyHash): ReadonlyMap<string, ApiKeyEntry> {
  return new Map(entries.filter(({ kind }) => kind === wanted).map((entry) => [entry.hash, entry]));
}

export function keysOfStore(store: Pick<UserStore, 'findApiKey'>, secret: Uint8Array | undefined): KnownKeys {
  const hmacOf = (octets: Uint8Array) => (secret === undefined ? undefined : `hmac:${hmacApiKey(secret, octets)}`);
  return {
    find: ({ hash, octets }, asker) => store.findApiKey({ sha256: `sha256:${hash}`, hmac: hmacOf(octets) }, asker),
  };
}

/** The key as it was sent. A field value has one octet for each character. */
export function sentKey(value: string): SentKey {
  const octets = Buffer.from(value, 'latin1');
  return { octets, hash: hashApiKey(octets) };
}
