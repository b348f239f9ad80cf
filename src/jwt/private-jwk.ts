import { randomBytes } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';
import { generators, type Sign, type SigningAlgorithm } from './sign.ts';

/** A signing key as a JWK. Importing a JWK is several times faster than PKCS #8, which matters for many keys. */
export interface PrivateJwk {
  readonly alg: UserKeyAlgorithm;
  /** The parameters of the public key (RFC 7638 §3.2). Undefined for a secret, which has no public part. */
  readonly publicJwk: JWK | undefined;
  /** JSON text in UTF-8. */
  readonly privateJwk: Uint8Array;
}

export type UserKeyAlgorithm = SigningAlgorithm | 'HS256';

export async function makePrivateJwk(alg: UserKeyAlgorithm): Promise<PrivateJwk> {
  if (alg === 'HS256') return { alg, publicJwk: undefined, privateJwk: json(makeSecret()) };
  const { publicKey, privateKey } = await generators[alg]();
  return {
    alg,
    publicJwk: publicKey.export({ format: 'jwk' }),
    privateJwk: json(privateKey.export({ format: 'jwk' })),
  };
}

/** RFC 7518 §3.2: as long as the hash. */
function makeSecret(): JWK {
  return { kty: 'oct', k: randomBytes(32).toString('base64url') };
}

function json(jwk: object): Uint8Array {
  return Buffer.from(JSON.stringify(jwk));
}

export function readJwk(text: Uint8Array): JWK {
  return JSON.parse(Buffer.from(text).toString('utf8'));
}

/** Makes a signer whose tokens name the key by its `kid`. */
export async function importSign(alg: UserKeyAlgorithm, kid: string, privateJwk: Uint8Array): Promise<Sign> {
  const key = await importJWK(readJwk(privateJwk), alg);
  return (typ, claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg, typ, kid }).sign(key);
}
