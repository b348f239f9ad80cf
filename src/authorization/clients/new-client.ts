import { randomBytes } from 'node:crypto';

/** 100 random bits, in characters that can be read out. */
export function newClientId(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  return Array.from(randomBytes(20), (byte) => letters[byte % 32]).join('');
}

/** 256 random bits, behind a prefix that secret scanners recognize. */
export function newClientSecret(): string {
  return `cs_${randomBytes(32).toString('base64url')}`;
}
