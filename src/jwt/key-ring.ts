import type { AlgorithmName } from './algorithms.ts';
import type { VerificationKey } from './keys.ts';

/** Keys, indexed for the look-up that a token needs. */
export interface KeyRing {
  /** The keys for a token's `alg` and `kid`. They are few, since each costs a verification. */
  candidates(alg: AlgorithmName, kid: string | undefined): readonly VerificationKey[];
  holds(key: VerificationKey): boolean;
  knows(kid: string): boolean;
  readonly keys: ReadonlyMap<string, VerificationKey>;
}

const MAX_CANDIDATES = 4;

export function keyRing(list: readonly VerificationKey[]): KeyRing {
  const keys = new Map(list.map((key) => [key.id, key]));
  const unique = [...keys.values()];
  const kids = new Set(unique.map((key) => key.kid));
  return {
    keys,
    candidates: (alg, kid) =>
      unique.filter((key) => key.alg === alg && (kid === undefined || key.kid === kid)).slice(0, MAX_CANDIDATES),
    holds: (key) => keys.get(key.id) === key,
    knows: (kid) => kids.has(kid),
  };
}
