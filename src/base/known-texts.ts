/** Bytes of a text. Longer ones are rarely repeated. */
const LONGEST = 48;
/** A power of two. */
const PLACES = 512;

interface Known {
  readonly bytes: Buffer;
  readonly text: string;
}

const NONE: Known = { bytes: Buffer.alloc(0), text: '' };

/**
 * Texts of many messages, so that each is decoded once. Names and methods of a protocol are few. A text that comes later
 * takes the place of another, so a flood of new ones costs no memory.
 */
const known: Known[] = new Array<Known>(PLACES).fill(NONE);

/** The text of these bytes, in UTF-8. It has its own memory, so it keeps no message alive. */
export function knownText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  if (length > LONGEST) return bytes.toString('utf8', start, end);
  const place = placeOf(bytes, start, end);
  const here = known[place] as Known;
  if (here.bytes.length === length && isAt(here.bytes, bytes, start)) return here.text;
  const text = bytes.toString('utf8', start, end);
  known[place] = { bytes: Buffer.from(bytes.subarray(start, end)), text };
  return text;
}

/** Names of one length mostly differ in one of these bytes. All bytes would take longer than the comparison. */
function placeOf(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  const outer = (bytes[start] as number) * 37 + (bytes[end - 1] as number);
  const sum = (outer * 37 + (bytes[start + (length >> 1)] as number)) * 37 + length;
  return (sum ^ (sum >>> 9)) & (PLACES - 1);
}

/** `bytes` has this many bytes from there on. */
function isAt(text: Buffer, bytes: Buffer, start: number): boolean {
  for (let index = 0; index < text.length; index++) if (text[index] !== bytes[start + index]) return false;
  return true;
}
