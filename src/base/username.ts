/**
 * Names of users as they are compared: RFC 8265 §3.3, UsernameCaseMapped, so that `Alice` and `alice` are one user.
 * NFKC maps widths (rule 1 of §3.3.1) and what else looks alike; the rest of the names is kept as they are written.
 */
export function usernameKey(username: string): string {
  if (Buffer.byteLength(username) > longest) return NOBODY;
  return username.normalize('NFKC').toLowerCase().normalize('NFC');
}

/** Bytes. The time for normalizing grows with the square of the length, so an impossible name is not normalized. */
const longest = 255;

/** Holds a control character, as no username does. */
const NOBODY = '\n';

/** Why a text cannot name a user; undefined where it can. */
export function usernameFault(username: string): string | undefined {
  if (/\p{C}/u.test(username)) return 'a username must not contain control or invisible characters';
  if (/^\s|\s$/u.test(username)) return 'a username must not begin or end with a space';
  if (username === '') return 'a username must not be empty';
  return Buffer.byteLength(username) > longest ? `a username must have at most ${longest} bytes` : undefined;
}
