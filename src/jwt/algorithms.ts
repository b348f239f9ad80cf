/**
 * Everything about a signature algorithm (RFC 7518 §3, RFC 8037 §3.1, RFC 9864 §2.2). An algorithm without a row, such
 * as `none`, is never accepted. `kty` and `crv` decide whether a key matches, so an RSA key can never serve as an HMAC
 * secret.
 */
export interface Algorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP' | 'oct';
  readonly crv?: string;
  /** The minimum bits of an RSA modulus (RFC 7518 §3.3). */
  readonly minimumBits?: number;
  /** SHA-2 bits of an HMAC. Present if signer and verifier share the secret. */
  readonly hmac?: 256 | 384 | 512;
  /** The parameters for WebCrypto's verify. All others are part of the imported key. */
  readonly verifying: Verifying;
}

type Verifying =
  | { readonly name: 'HMAC' | 'RSASSA-PKCS1-v1_5' | 'Ed25519' }
  | { readonly name: 'RSA-PSS'; readonly saltLength: number }
  | { readonly name: 'ECDSA'; readonly hash: string };

const rsa = { kty: 'RSA', minimumBits: 2048, verifying: { name: 'RSASSA-PKCS1-v1_5' } } as const;
/** The salt is as long as the hash (RFC 7518 §3.5). */
const pss = (saltLength: number) => ({ ...rsa, verifying: { name: 'RSA-PSS', saltLength } }) as const;
const ecdsa = (crv: string, bits: number) =>
  ({ kty: 'EC', crv, verifying: { name: 'ECDSA', hash: `SHA-${bits}` } }) as const;
const ed25519 = { kty: 'OKP', crv: 'Ed25519', verifying: { name: 'Ed25519' } } as const;
const mac = (hmac: 256 | 384 | 512) => ({ kty: 'oct', hmac, verifying: { name: 'HMAC' } }) as const;

const table = {
  EdDSA: ed25519,
  Ed25519: ed25519,
  ES256: ecdsa('P-256', 256),
  ES384: ecdsa('P-384', 384),
  ES512: ecdsa('P-521', 512),
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: pss(32),
  PS384: pss(48),
  PS512: pss(64),
  HS256: mac(256),
  HS384: mac(384),
  HS512: mac(512),
} as const satisfies Record<string, Algorithm>;

export type AlgorithmName = keyof typeof table;

export const algorithms: Readonly<Record<AlgorithmName, Algorithm>> = table;

/** The names that a configuration file may contain. */
export const algorithmNames = Object.keys(table) as readonly AlgorithmName[];
