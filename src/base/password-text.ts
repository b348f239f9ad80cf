/**
 * Prepares passwords for hashing: RFC 8265 §4.2, OpaqueString. Every Unicode space becomes a plain space, equivalent characters
 * have one spelling (NFC), and case matters. So a password opens the same account from every keyboard and every system.
 */
export type PreparedPassword =
  | { readonly kind: 'prepared'; readonly bytes: Uint8Array }
  | { readonly kind: 'unfit'; readonly reason: PasswordFault };

export type PasswordFault = 'empty' | 'too_long' | 'control_character' | 'too_short';

/** Bytes of UTF-8: far longer than any phrase that a person types, and still cheap to hash. */
export const LONGEST_PASSWORD = 1024;

/** Characters (NIST SP 800-63B §5.1.1.2). */
export const SHORTEST_NEW_PASSWORD = 8;

/** For people, with the remedy. */
export const passwordFaults: Readonly<Record<PasswordFault, string>> = {
  empty: 'the password is empty',
  too_long: `the password is longer than ${LONGEST_PASSWORD} bytes`,
  control_character: 'the password has a control character, such as a tab or a line break',
  too_short: `the password has fewer than ${SHORTEST_NEW_PASSWORD} characters`,
};

/** The bytes to hash, for any existing password. */
export function preparePassword(password: string): PreparedPassword {
  if (Buffer.byteLength(password) > LONGEST_PASSWORD) return { kind: 'unfit', reason: 'too_long' };
  const text = password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
  if (text === '') return { kind: 'unfit', reason: 'empty' };
  if (/\p{Cc}|\p{Cs}/u.test(text)) return { kind: 'unfit', reason: 'control_character' };
  return { kind: 'prepared', bytes: Buffer.from(text) };
}

/** Why a text cannot be a new password; undefined if it can. */
export function newPasswordFault(password: string): PasswordFault | undefined {
  const prepared = preparePassword(password);
  if (prepared.kind === 'unfit') return prepared.reason;
  const length = [...new Intl.Segmenter().segment(password)].length;
  return length < SHORTEST_NEW_PASSWORD ? 'too_short' : undefined;
}
