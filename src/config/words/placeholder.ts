import { hash } from 'node:crypto';

/**
 * Replaces the value of a variable that is not read. One variable has the same placeholder everywhere. Its 43 characters are
 * valid as a key of 32 bytes in base64url, as an HMAC secret, and as a hostname or password of a URL.
 * @param variable the text between `${` and `}`
 */
export function placeholderFor(variable: string): string {
  return `placeholder-${hash('sha256', variable, 'hex').slice(0, 31)}`;
}

/** True if the text is or contains a placeholder. */
export function isPlaceholder(text: string): boolean {
  return /placeholder-[0-9a-f]{31}/.test(text);
}
