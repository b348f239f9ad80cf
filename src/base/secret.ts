import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The stored form of a secret or a token. Random values of 256 bits need no slow hash. */
export function sha256(value: string | Uint8Array): Buffer {
  // Through hexadecimal text: a digest as bytes needs its own allocation, and takes twice as long.
  return Buffer.from(hash('sha256', value, 'hex'), 'hex');
}

/** Compares in constant time for values of equal length. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters. */
export const checksumLength = 6;

/** CRC-32 in base 62, for the end of a secret. With it, scanners recognize such a secret offline. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let written = '';
  for (let index = 0; index < checksumLength; index++) {
    written = digits[rest % digits.length] + written;
    rest = Math.floor(rest / digits.length);
  }
  return written;
}
