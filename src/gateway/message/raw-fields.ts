/** Header lines of an upstream, names and values in turn: bytes from undici, latin1 strings from our own engine. */
export type RawFields = readonly (Buffer | string)[];

export function latin1(text: Buffer | string | undefined): string {
  return text === undefined ? '' : text.toString('latin1');
}

/** RFC 9110 §5.5: spaces and tabs around a value are not part of it. */
export function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
