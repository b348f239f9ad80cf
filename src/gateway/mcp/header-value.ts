/** Values of the headers that repeat parts of the body (Streamable HTTP, value encoding). */

const SENTINEL = /^=\?base64\?(.*)\?=$/;
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** Undefined: the value has no meaning, because it has an invalid character or invalid Base64. */
export function decodeValue(value: string): string | undefined {
  const [, encoded] = SENTINEL.exec(value) ?? [];
  if (encoded === undefined) return value === '' || PLAIN.test(value) ? value : undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

export function encodeValue(text: string): string {
  if (PLAIN.test(text) && !SENTINEL.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
