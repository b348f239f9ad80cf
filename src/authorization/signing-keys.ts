import type { JWK } from 'jose';
import { type Clock, seconds } from '../base/clock.ts';
import type { AlgorithmName } from '../jwt/algorithms.ts';
import { type KeyRing, keyRing } from '../jwt/key-ring.ts';
import { importKeys } from '../jwt/keys.ts';
import { buildSign, makeSigningKey, type Sign, type SigningAlgorithm } from '../jwt/sign.ts';
import type { Records, SigningKeyRecord } from '../storage/records.ts';

/** The issuer's own keys. */
export interface SigningKeys {
  /** Public, RFC 7517 §5. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /** With the current key. */
  readonly sign: Sign;
  /** To verify with. */
  readonly ring: KeyRing;
  readonly algorithms: ReadonlySet<string>;
}

/** The keys of the store; the first start makes one, and of two starts at the same time one key remains. */
export async function loadSigningKeys(records: Records, alg: SigningAlgorithm, clock: Clock): Promise<SigningKeys> {
  const stored = await records.listSigningKeys();
  const found = stored.find((key) => key.alg === alg && key.status === 'current');
  const current = found ?? (await adoptNewKey(records, alg, clock));
  const all = found === undefined ? [...stored, current] : stored;
  const jwks = { keys: all.map(({ publicJwk }) => publicJwk as JWK) };
  const algorithms = [...new Set(all.map((key) => key.alg as AlgorithmName))];
  return {
    jwks,
    sign: buildSign({ kid: current.kid, alg, privateKey: current.privateKey }),
    ring: keyRing((await importKeys(jwks, algorithms))?.keys ?? []),
    algorithms: new Set(algorithms),
  };
}

async function adoptNewKey(records: Records, alg: SigningAlgorithm, clock: Clock): Promise<SigningKeyRecord> {
  return records.adoptSigningKey({ ...(await makeSigningKey(alg)), createdAt: seconds(clock) });
}
