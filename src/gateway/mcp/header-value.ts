/** Values of the headers that repeat parts of the body (Streamable HTTP, value encoding). */

const SENTINEL = /^=\?base64\?(.*)\?=$/;
/** Some readers may ignore its case. */
const LIKE_SENTINEL = /^=\?base64\?.*\?=$/i;
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** Undefined: the value has no meaning, because it has an invalid character or invalid Base64. */
export function decodeValue(value: string): string | undefined {
  if (!value.startsWith('=')) return PLAIN.test(value) || value === '' ? value : undefined;
  const [, encoded] = SENTINEL.exec(value) ?? [];
  if (encoded === undefined) return isPlain(value) || value === '' ? value : undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

export function encodeValue(text: string): string {
  if (isPlain(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !LIKE_SENTINEL.test(text);
}
