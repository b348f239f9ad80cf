/**
 * Everything there is to know about a signature algorithm (RFC 7518 §3, RFC 8037 §3.1, RFC 9864 §2.2). What is not a row
 * is not an algorithm: `none` never is. A key fits by `kty` and `crv`, so an RSA key can never serve as an HMAC secret.
 */
export interface Algorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP' | 'oct';
  readonly crv?: string;
  /** Of an RSA modulus (RFC 7518 §3.3). */
  readonly minimumBits?: number;
  /** SHA-2 bits of an HMAC; present where signer and verifier share the secret. */
  readonly hmac?: 256 | 384 | 512;
}

const rsa = { kty: 'RSA', minimumBits: 2048 } as const;

const table = {
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  HS256: { kty: 'oct', hmac: 256 },
  HS384: { kty: 'oct', hmac: 384 },
  HS512: { kty: 'oct', hmac: 512 },
} as const satisfies Record<string, Algorithm>;

export type AlgorithmName = keyof typeof table;

export const algorithms: Readonly<Record<AlgorithmName, Algorithm>> = table;

/** As they may be named in a configuration file. */
export const algorithmNames = Object.keys(table) as readonly AlgorithmName[];
