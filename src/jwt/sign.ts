import { createPrivateKey, createSecretKey, generateKeyPair as generate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK, type JWK, SignJWT } from 'jose';

/** Everything about an algorithm for signing. */
export const generators = {
  EdDSA: () => promisify(generate)('ed25519'),
  ES256: () => promisify(generate)('ec', { namedCurve: 'P-256' }),
  RS256: () => promisify(generate)('rsa', { modulusLength: 2048 }),
} as const satisfies Record<string, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>>;

export type SigningAlgorithm = keyof typeof generators;

export interface SigningKeyPair {
  /** The RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** As published: with `kid`, `alg` and `use`. */
  readonly publicJwk: JWK;
  /** PKCS #8, DER. */
  readonly privateKey: Uint8Array;
}

export async function makeSigningKey(alg: SigningAlgorithm): Promise<SigningKeyPair> {
  const { publicKey, privateKey } = await generators[alg]();
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    alg,
    publicJwk: { ...jwk, kid, alg, use: 'sig' },
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

/** Signs claims as a compact JWS with the given `typ`. */
export type Sign = (typ: string, claims: Readonly<Record<string, unknown>>) => Promise<string>;

export function buildSign({ kid, alg, privateKey }: Pick<SigningKeyPair, 'kid' | 'alg' | 'privateKey'>): Sign {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
  return (typ, claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg, typ, kid }).sign(key);
}

/** The same with HS256 and a shared secret (RFC 7518 §3.2). The secret has no `kid`, because no key set contains it. */
export function buildSecretSign(secret: Uint8Array): Sign {
  const key = createSecretKey(secret);
  return (typ, claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ }).sign(key);
}
