import { createHash, timingSafeEqual } from 'node:crypto';

/** What is kept of a secret or a token: 256-bit random values need no slow hash. */
export function sha256(value: string | Uint8Array): Buffer {
  return createHash('sha256').update(value).digest();
}

/** Equal, in a time that tells nothing about where two values of one length differ. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
