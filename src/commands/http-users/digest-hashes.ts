import { passwordFaults, preparePassword } from '../../base/password-text.ts';
import { usernameFault } from '../../base/username.ts';
import type { StoredAlgorithm } from '../../http-auth/digest-algorithms.ts';
import { storedHash, userHash } from '../../http-auth/digest-response.ts';
import type { DigestHash } from '../../storage/records/records.ts';
import { readSecret } from '../common/read-secret.ts';

/** Strongest first. All are stored, so that a route can later offer a different algorithm. */
export const digestAlgorithmsOption: readonly StoredAlgorithm[] = ['SHA-256', 'SHA-512-256', 'MD5'];

export interface Login {
  /** In NFC. */
  readonly username: string;
  readonly realm: string;
  /** In NFC. */
  readonly password: string;
}

export interface DigestLine extends DigestHash {
  readonly algorithm: StoredAlgorithm;
}

export function hashesOf({ username, realm, password }: Login): readonly DigestLine[] {
  return digestAlgorithmsOption.map((algorithm) => ({
    algorithm,
    ha1: storedHash(algorithm, username, realm, password),
    userhash: userHash(algorithm, username, realm),
  }));
}

/** Colons separate the fields of a line, and a line that begins with `#` is a comment. */
function nameFault(username: string, realm: string): string | undefined {
  if (/^#|:/.test(username)) return 'a username for Digest must not contain a colon, and must not begin with #';
  return /^[\x20-\x39\x3b-\x7e]+$/.test(realm)
    ? usernameFault(username)
    : 'a realm must be printable ASCII without a colon';
}

/** A complete login with the password from standard input, or the fault. */
export async function readLogin(given: string, realm: string): Promise<Login | string> {
  const username = given.normalize('NFC');
  const fault = nameFault(username, realm);
  if (fault !== undefined) return fault;
  const secret = await readSecret('Password');
  if (secret.kind === 'unreadable') return secret.message;
  const prepared = preparePassword(secret.text);
  if (prepared.kind === 'unfit') return passwordFaults[prepared.reason];
  return { username, realm, password: secret.text.normalize('NFC') };
}
