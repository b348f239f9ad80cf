/** Header lines of an upstream, names and values in turn: as bytes from undici, as latin1 from the engine of our own. */
export type RawFields = readonly (Buffer | string)[];

export function latin1(text: Buffer | string | undefined): string {
  return text === undefined ? '' : text.toString('latin1');
}
