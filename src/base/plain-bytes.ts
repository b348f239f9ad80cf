const [SPACE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c];

/** 1: a byte that ends a string of JSON, begins an escape, or must not be in a string (RFC 8259, section 7). */
const SPECIAL = Uint8Array.from({ length: 256 }, (_, code) =>
  Number(code < SPACE || code === QUOTE || code === BACKSLASH),
);

/** Bytes after which it pays to read four at once. */
const SHORT = 64;

/** The position of the next special byte. The length: there is none. */
export function plainEnd(bytes: Buffer, from: number): number {
  const near = Math.min(from + SHORT, bytes.length);
  const at = singlyEnd(bytes, from, near);
  return at < near || near === bytes.length ? at : longEnd(bytes, near);
}

function singlyEnd(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && SPECIAL[bytes[at] as number] === 0) at++;
  return at;
}

/** Four bytes at once begin at an address that four divides. */
function longEnd(bytes: Buffer, from: number): number {
  const start = from + (-(bytes.byteOffset + from) & 3);
  const at = singlyEnd(bytes, from, Math.min(start, bytes.length));
  if (at < start || start > bytes.length) return at;
  const fours = new Int32Array(bytes.buffer, bytes.byteOffset + start, (bytes.length - start) >> 2);
  let index = 0;
  while (index < fours.length && !hasSpecial(fours[index] as number)) index++;
  return singlyEnd(bytes, start + 4 * index, bytes.length);
}

/** Subtracting 1 from a byte sets its highest bit if the byte was 0, or if the bit was set before. */
function hasSpecial(four: number): boolean {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  const found =
    ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((four - 0x20202020) & ~four);
  return (found & 0x80808080) !== 0;
}
