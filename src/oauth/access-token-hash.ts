import { createHash } from 'node:crypto';

/**
 * `at_hash` (OpenID Connect Core §3.1.3.6): the left half of the hash of the signature algorithm. Ed25519 uses SHA-512 (RFC 8032
 * §5.1).
 */
export function accessTokenHash(alg: string, accessToken: string): string {
  const bits = /(256|384|512)$/.exec(alg)?.[0] ?? '512';
  const hash = createHash(`sha${bits}`).update(accessToken, 'ascii').digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
