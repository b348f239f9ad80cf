import { randomBytes } from 'node:crypto';
import { checksum, checksumLength } from '../../base/secret.ts';

/** The kind of an opaque value, from its prefix. */
export const tokenPrefixes = { accessToken: 'at_', refreshToken: 'rt_', code: 'ac_', registration: 'ra_' } as const;
export type TokenPrefix = (typeof tokenPrefixes)[keyof typeof tokenPrefixes];

// Prefix, 32 random bytes in base64url, six characters of CRC-32. With these, secret scanners recognize a token offline.
const shape = /^[a-z]{2}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;

/** 256 random bits. RFC 6749 §10.10 requires at least 128. */
export function makeOpaqueToken(prefix: TokenPrefix): string {
  const body = prefix + randomBytes(32).toString('base64url');
  return body + checksum(body);
}

/** True if the text has the form of our values. Other texts are never looked up. */
export function isOpaqueToken(text: string, prefix: TokenPrefix): boolean {
  return (
    text.startsWith(prefix) &&
    shape.test(text) &&
    checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  );
}
