/** The fault of one scope-token (RFC 6749 §3.3: %x21 / %x23-5B / %x5D-7E); undefined if it is valid. */
export function scopeTokenFault(token: string): string | undefined {
  if (token === '') return 'scopes must be separated by single spaces';
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(token)
    ? undefined
    : `\`${token}\` has a character that no scope contains (RFC 6749 §3.3)`;
}

export function scopeWords(text: string): readonly string[] {
  return text.split(' ');
}
