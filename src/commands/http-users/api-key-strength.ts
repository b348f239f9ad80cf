/** Bits. If the hash of a shorter key leaks and needs no secret, someone can guess the key. */
export const ENOUGH = 128;

/** A random key has at least this many different characters. A repeated word, or a number with leading zeros, has fewer. */
const VARIED = 8;

const alphabets: readonly { readonly only: RegExp; readonly size: number }[] = [
  { only: /^[0-9]+$/, size: 10 },
  { only: /^[0-9a-f]+$|^[0-9A-F]+$/, size: 16 },
  { only: /^[a-z]+$|^[A-Z]+$/, size: 26 },
  { only: /^[0-9a-z]+$|^[0-9A-Z]+$/, size: 36 },
  { only: /^[0-9A-Za-z]+$/, size: 62 },
  { only: /^[0-9A-Za-z_+/=-]+$/, size: 64 },
];

const PRINTABLE = 95;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** RFC 9562 §5.4. */
const UUID_BITS = 122;

/** The largest entropy that a key of this form can have: random characters from the smallest alphabet that has them all. */
export function bitsOf(key: string): number {
  if (UUID.test(key)) return UUID_BITS;
  if (new Set(key).size < VARIED) return 0;
  const size = alphabets.find(({ only }) => only.test(key))?.size ?? PRINTABLE;
  return Math.floor(key.length * Math.log2(size));
}
