import { decodeUtf8 } from '../base/utf8.ts';

/** Octets. A longer text is not a username, and the time to normalize text grows with the square of its length. */
const LONGEST_NORMALIZED = 2048;

/**
 * Decodes octets as UTF-8 if they are valid UTF-8, and otherwise as Latin-1, which some clients still send. Text of up
 * to 2048 octets is normalized to NFC (RFC 7617 §2.1). Longer text stays unchanged.
 */
export function decodeCredentialText(octets: Uint8Array): string {
  const text = decode(octets);
  return octets.length > LONGEST_NORMALIZED ? text : text.normalize('NFC');
}

function decode(octets: Uint8Array): string {
  return decodeUtf8(octets) ?? Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1');
}

/** The same for a field value from HTTP, with one octet for each character. */
export function fieldText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII needs no decoding
  return /^[\x00-\x7f]*$/.test(value) ? value : decodeCredentialText(Buffer.from(value, 'latin1'));
}

/** CTL of RFC 5234, which no username and no password may contain (RFC 7617 §2). */
export function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
  return /[\x00-\x1f\x7f]/.test(text);
}

/**
 * RFC 8187 `ext-value`, in UTF-8 only, as RFC 7616 §3.4 requires for `username*`. Undefined: the value has another
 * form.
 */
export function extendedText(value: string): string | undefined {
  const [, encoded] = /^utf-8'[A-Za-z0-9-]*'((?:[!#$&+.^_`|~0-9A-Za-z-]|%[0-9A-Fa-f]{2})*)$/i.exec(value) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded).normalize('NFC');
  } catch {
    return undefined;
  }
}

export function toExtendedText(text: string): string {
  const encoded = encodeURIComponent(text).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `UTF-8''${encoded}`;
}
