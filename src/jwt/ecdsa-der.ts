/** Bytes of a P-256 coordinate. */
const SIZE = 32;
const INTEGER = 0x02;
const SEQUENCE = 0x30;
/** DER would read a larger first byte as a negative sign (X.690 §8.3). */
const HIGHEST_POSITIVE = 0x7f;
const ZERO = Buffer.alloc(SIZE);
/** `n`, the order of the base point of P-256 (NIST SP 800-186 §3.2.1.3). */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
/** Two INTEGERs of maximum length, with their headers and the header of the SEQUENCE. */
const LONGEST = 2 + 2 * (2 + 1 + SIZE);

/**
 * Converts an ES256 signature from R ‖ S (RFC 7518 §3.4) to DER (RFC 3279 §2.2.3). `node:crypto` verifies DER in two
 * thirds of the time. Undefined: the signature does not have 64 bytes, or one of its numbers is not within 1 to n − 1.
 */
export function derOfEs256(signature: Uint8Array): Uint8Array | undefined {
  if (signature.length !== 2 * SIZE) return undefined;
  const [r, s] = [signature.subarray(0, SIZE), signature.subarray(SIZE)];
  if (!isInRange(r) || !isInRange(s)) return undefined;
  const der = Buffer.allocUnsafe(LONGEST);
  const end = writeInteger(der, writeInteger(der, 2, r), s);
  der[0] = SEQUENCE;
  der[1] = end - 2;
  return der.subarray(0, end);
}

function isInRange(number: Uint8Array): boolean {
  return Buffer.compare(number, ZERO) > 0 && Buffer.compare(number, ORDER) < 0;
}

/** Writes the shortest form, which DER requires (X.690 §8.3.2), and returns the position after it. */
function writeInteger(der: Buffer, at: number, number: Uint8Array): number {
  const digits = number.subarray(number.findIndex((byte) => byte !== 0));
  const sign = (digits[0] as number) > HIGHEST_POSITIVE ? 1 : 0;
  der[at] = INTEGER;
  der[at + 1] = sign + digits.length;
  der[at + 2] = 0;
  der.set(digits, at + 2 + sign);
  return at + 2 + sign + digits.length;
}

/**
 * The way back, for a signature that `node:crypto` made: R ‖ S, 64 bytes. `node:crypto` signs in DER in half of the time that it
 * needs for R ‖ S.
 */
export function es256OfDer(der: Uint8Array): Buffer {
  const signature = Buffer.alloc(2 * SIZE);
  const afterR = readInteger(der, 2, signature.subarray(0, SIZE));
  readInteger(der, afterR, signature.subarray(SIZE));
  return signature;
}

/** Copies the number to the end of `to`, and returns the position after it. */
function readInteger(der: Uint8Array, at: number, to: Buffer): number {
  const length = der[at + 1] as number;
  const end = at + 2 + length;
  const digits = der.subarray(Math.max(at + 2, end - SIZE), end);
  to.set(digits, SIZE - digits.length);
  return end;
}
