/**
 * Usernames in their form for comparison: RFC 8265 §3.3, UsernameCaseMapped, so that `Alice` and `alice` are one user. NFKC
 * maps widths (rule 1 of §3.3.1) and other compatible characters. Only the comparison uses this form.
 */
export function usernameKey(username: string): string {
  if (Buffer.byteLength(username) > longest) return IMPOSSIBLE_NAME;
  return username.normalize('NFKC').toLowerCase().normalize('NFC');
}

/** Bytes. Normalizing takes quadratic time, so a name that is too long is not normalized. */
const longest = 255;

/** Contains a control character, so it equals no username. */
const IMPOSSIBLE_NAME = '\n';

/** Why a text cannot be a username; undefined if it can. */
export function usernameFault(username: string): string | undefined {
  if (/\p{C}/u.test(username)) return 'a username must not contain control or invisible characters';
  if (/^\s|\s$/u.test(username)) return 'a username must not begin or end with a space';
  if (username === '') return 'a username must not be empty';
  return Buffer.byteLength(username) > longest ? `a username must have at most ${longest} bytes` : undefined;
}
