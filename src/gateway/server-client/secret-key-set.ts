import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { algorithms } from '../../jwt/algorithms.ts';
import { keyRing } from '../../jwt/key-ring.ts';
import { importSecret } from '../../jwt/secret-keys.ts';
import { behind, type FoundKeys, type KeySet } from './key-set.ts';

/** The HMAC keys of a configured secret. They are always available and never fetched. */
export function secretKeySet(secret: Uint8Array<ArrayBuffer>, accepted: readonly AlgorithmName[]): KeySet {
  const ring = importSecret(secret, accepted).then(keyRing);
  return {
    async find(alg): Promise<FoundKeys> {
      const keys = (await ring).candidates(alg, undefined);
      return keys.length > 0 ? { kind: 'keys', keys } : { kind: 'unknown' };
    },
    knows: () => false,
    published: () => [],
    holds: () => true,
    start: async () => {},
    tried: () => true,
    usable: () => true,
    fault: () => undefined,
    ageSeconds: () => undefined,
    close() {},
  };
}

/**
 * One server may have both kinds. The algorithm alone chooses the set, so a key of one set never replaces a key of the
 * other.
 */
export function bothKeySets(secret: KeySet, published: KeySet): KeySet {
  const of = (alg: AlgorithmName) => (algorithms[alg].hmac === undefined ? published : secret);
  return {
    ...behind(published),
    find: (alg, kid) => of(alg).find(alg, kid),
    holds: (key) => of(key.alg).holds(key),
  };
}
