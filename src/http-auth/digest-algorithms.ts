/** RFC 7616 §6.1, and RFC 2617 for MD5. A row contains everything about its algorithm. */
export interface DigestAlgorithm {
  /** OpenSSL's name of the hash. */
  readonly hash: 'md5' | 'sha256' | 'sha512-256';
  /** HA1 depends on nonce and cnonce (RFC 7616 §3.4.2). */
  readonly session: boolean;
  /** The number of hexadecimal digits of a hash. */
  readonly length: 32 | 64;
  /** The algorithm whose stored HA1 serves this one. */
  readonly stored: StoredAlgorithm;
}

/** The algorithms of a stored HA1. The session variants are derived from these. */
export type StoredAlgorithm = 'MD5' | 'SHA-256' | 'SHA-512-256';

/** In the order of the offer: many clients take the first one, and some take the last one that they know. */
export const digestAlgorithms = {
  'SHA-256': { hash: 'sha256', session: false, length: 64, stored: 'SHA-256' },
  'SHA-256-sess': { hash: 'sha256', session: true, length: 64, stored: 'SHA-256' },
  'SHA-512-256': { hash: 'sha512-256', session: false, length: 64, stored: 'SHA-512-256' },
  'SHA-512-256-sess': { hash: 'sha512-256', session: true, length: 64, stored: 'SHA-512-256' },
  'MD5-sess': { hash: 'md5', session: true, length: 32, stored: 'MD5' },
  MD5: { hash: 'md5', session: false, length: 32, stored: 'MD5' },
} as const satisfies Record<string, DigestAlgorithm>;

export type DigestAlgorithmName = keyof typeof digestAlgorithms;

export const digestAlgorithmNames = Object.keys(digestAlgorithms) as readonly DigestAlgorithmName[];

const byFoldedName = new Map(digestAlgorithmNames.map((name) => [name.toLowerCase(), name]));

/** Names of algorithms are case-insensitive tokens. An absent name means MD5 (RFC 7616 §3.4). */
export function digestAlgorithmNamed(written: string | undefined): DigestAlgorithmName | undefined {
  return written === undefined ? 'MD5' : byFoldedName.get(written.toLowerCase());
}

/** Quality of protection (RFC 7616 §3.3): for the request line only, or for the body too. */
export const qops = ['auth', 'auth-int'] as const;
export type Qop = (typeof qops)[number];
