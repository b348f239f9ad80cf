import type { webcrypto } from 'node:crypto';
import { exportJWK, type GenerateKeyPairOptions, generateKeyPair, type JWK } from 'jose';
import type { AlgorithmName } from '../../src/jwt/algorithms.ts';

export interface SigningKey {
  readonly kid: string;
  readonly key: webcrypto.CryptoKey | Uint8Array;
  /** Undefined for a shared secret. */
  readonly jwk: JWK | undefined;
}

/** As text: 32 bytes, in the form of the YAML file. */
export const secret = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';

const options: Partial<Record<AlgorithmName, GenerateKeyPairOptions>> = { EdDSA: { crv: 'Ed25519' } };
const made = new Map<AlgorithmName, Promise<SigningKey>>();

/** A key of this process for the algorithm. Created once, because RSA keys take long. */
export function signingKey(alg: AlgorithmName): Promise<SigningKey> {
  const before = made.get(alg);
  if (before !== undefined) return before;
  const key = alg.startsWith('HS') ? sharedSecret(alg) : keyPair(alg);
  made.set(alg, key);
  return key;
}

async function sharedSecret(alg: AlgorithmName): Promise<SigningKey> {
  return { kid: `key-${alg}`, key: new TextEncoder().encode(secret), jwk: undefined };
}

async function keyPair(alg: AlgorithmName): Promise<SigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true, ...options[alg] });
  const kid = `key-${alg}`;
  return { kid, key: pair.privateKey, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } };
}
