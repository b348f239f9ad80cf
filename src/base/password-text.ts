/**
 * Passwords as they are hashed: RFC 8265 §4.2, OpaqueString. A space of any script is a space, what looks the same is
 * written the same (NFC), case counts. So a password opens the same account from every keyboard and every system.
 */
export type PreparedPassword =
  | { readonly kind: 'prepared'; readonly bytes: Uint8Array }
  | { readonly kind: 'unfit'; readonly reason: PasswordFault };

export type PasswordFault = 'empty' | 'too_long' | 'control_character' | 'too_short';

/** Bytes of UTF-8: far above every phrase that a person types, far below what would be work to hash. */
export const LONGEST_PASSWORD = 1024;

/** Characters (NIST SP 800-63B §5.1.1.2). */
export const SHORTEST_NEW_PASSWORD = 8;

/** For a person, with the remedy. */
export const passwordFaults: Readonly<Record<PasswordFault, string>> = {
  empty: 'the password is empty',
  too_long: `the password is longer than ${LONGEST_PASSWORD} bytes`,
  control_character: 'the password has a control character, such as a tab or a line break',
  too_short: `the password has fewer than ${SHORTEST_NEW_PASSWORD} characters`,
};

/** The bytes to hash, of any password that may exist already. */
export function preparePassword(password: string): PreparedPassword {
  if (Buffer.byteLength(password) > LONGEST_PASSWORD) return { kind: 'unfit', reason: 'too_long' };
  const text = password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
  if (text === '') return { kind: 'unfit', reason: 'empty' };
  if (/\p{Cc}|\p{Cs}/u.test(text)) return { kind: 'unfit', reason: 'control_character' };
  return { kind: 'prepared', bytes: Buffer.from(text) };
}

/** Why a password cannot be a new one; undefined where it can. */
export function newPasswordFault(password: string): PasswordFault | undefined {
  const prepared = preparePassword(password);
  if (prepared.kind === 'unfit') return prepared.reason;
  const length = [...new Intl.Segmenter().segment(password)].length;
  return length < SHORTEST_NEW_PASSWORD ? 'too_short' : undefined;
}
