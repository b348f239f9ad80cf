import { hash } from 'node:crypto';

/** The hash functions by the digits in the name of an algorithm, and the hexadecimal digits of half of such a hash. */
const halves = [
  { bits: '256', name: 'sha256', digits: 32 },
  { bits: '384', name: 'sha384', digits: 48 },
  { bits: '512', name: 'sha512', digits: 64 },
] as const;

/** Ed25519 uses SHA-512 (RFC 8032 §5.1), and ES256K uses SHA-256 (RFC 8812 §3.2). */
const halfOf = (alg: string) => halves.find(({ bits }) => alg.includes(bits)) ?? halves[2];

/** `at_hash` (OpenID Connect Core §3.1.3.6): the left half of the hash of the signature algorithm. */
export function accessTokenHash(alg: string, accessToken: string): string {
  const { name, digits } = halfOf(alg);
  // Through hexadecimal text, as in `sha256`.
  return Buffer.from(hash(name, accessToken, 'hex').slice(0, digits), 'hex').toString('base64url');
}
