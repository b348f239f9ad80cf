import { hash } from 'node:crypto';

/**
 * `at_hash` (OpenID Connect Core §3.1.3.6): the left half of the hash of the signature algorithm. Ed25519 uses SHA-512 (RFC 8032
 * §5.1), and ES256K uses SHA-256 (RFC 8812 §3.2).
 */
export function accessTokenHash(alg: string, accessToken: string): string {
  const bits = /256|384|512/.exec(alg)?.[0] ?? '512';
  // Through hexadecimal text, as in `sha256`. A hexadecimal digit has four bits, so the half has `bits / 8` digits.
  const digits = hash(`sha${bits}`, accessToken, 'hex').slice(0, Number(bits) / 8);
  return Buffer.from(digits, 'hex').toString('base64url');
}
