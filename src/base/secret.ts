import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What is kept of a secret or a token: 256-bit random values need no slow hash. */
export function sha256(value: string | Uint8Array): Buffer {
  // As text and back: a digest as bytes has an allocation of its own, and takes twice as long.
  return Buffer.from(hash('sha256', value, 'hex'), 'hex');
}

/** Equal, in a time that tells nothing about where two values of one length differ. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters. */
export const checksumLength = 6;

/** CRC-32 in base 62, at the end of a secret: a scanner tells such a secret from noise without asking anybody. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let written = '';
  for (let index = 0; index < checksumLength; index++) {
    written = digits[rest % digits.length] + written;
    rest = Math.floor(rest / digits.length);
  }
  return written;
}
