/** Bits. What has fewer is found by trying where its hash leaked, if the hash needs no secret. */
export const ENOUGH = 128;

/** Fewer different characters than a random key has: a word again and again, or a number with zeros before it. */
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

/** At most so many bits has a key of this form: each character drawn at random from the smallest alphabet that has them all. */
export function bitsOf(key: string): number {
  if (UUID.test(key)) return UUID_BITS;
  if (new Set(key).size < VARIED) return 0;
  const size = alphabets.find(({ only }) => only.test(key))?.size ?? PRINTABLE;
  return Math.floor(key.length * Math.log2(size));
}
