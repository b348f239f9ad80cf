import { hash, timingSafeEqual } from 'node:crypto';

/** What is kept of a secret or a token: 256-bit random values need no slow hash. */
export function sha256(value: string | Uint8Array): Buffer {
  // As text and back: a digest as bytes has an allocation of its own, and takes twice as long.
  return Buffer.from(hash('sha256', value, 'hex'), 'hex');
}

/** Equal, in a time that tells nothing about where two values of one length differ. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
