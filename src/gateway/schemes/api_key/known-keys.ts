import type { ApiKeyEntry, ApiKeyHash } from '../../../config/files/api-keys.ts';
import { hmacApiKey } from '../../../http-auth/api-key.ts';

/** The keys of one file. A key is looked up by its hash: of a table of hashes the time of a look-up tells nothing. */
export interface KnownKeys {
  /** `hash`: SHA-256 of the octets, as `hashApiKey` gives it. */
  find(hash: string, octets: Uint8Array): ApiKeyEntry | undefined;
}

export function knownKeys(entries: readonly ApiKeyEntry[], secret: Uint8Array | undefined): KnownKeys {
  const [hashed, keyed] = [tableOf(entries, 'sha256'), tableOf(entries, 'hmac')];
  if (secret === undefined || keyed.size === 0) return { find: (hash) => hashed.get(hash) };
  return {
    find(hash, octets) {
      // both, so that a key of either kind takes the same work
      const [byHash, byHmac] = [hashed.get(hash), keyed.get(hmacApiKey(secret, octets))];
      return byHash ?? byHmac;
    },
  };
}

function tableOf(entries: readonly ApiKeyEntry[], wanted: ApiKeyHash): ReadonlyMap<string, ApiKeyEntry> {
  return new Map(entries.filter(({ kind }) => kind === wanted).map((entry) => [entry.hash, entry]));
}

/** As it was sent: a field value has an octet a character. */
export function octetsOf(value: string): Uint8Array {
  return Buffer.from(value, 'latin1');
}
