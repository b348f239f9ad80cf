import { passwordFaults, preparePassword } from '../../base/password-text.ts';
import { usernameFault } from '../../base/username.ts';
import type { StoredAlgorithm } from '../../http-auth/digest-algorithms.ts';
import { storedHash, userHash } from '../../http-auth/digest-response.ts';
import type { DigestHash } from '../../storage/records/records.ts';
import { readSecret } from '../common/read-secret.ts';

/** Strongest first. By default all are stored, so that a route can later offer a different algorithm. */
export const digestAlgorithmsOption: readonly StoredAlgorithm[] = ['SHA-256', 'SHA-512-256', 'MD5'];

export interface Login {
  /** In NFC. */
  readonly username: string;
  readonly realm: string;
  /** In NFC. */
  readonly password: string;
  /** The algorithms of the stored hashes, strongest first. */
  readonly algorithms: readonly StoredAlgorithm[];
}

/** The user of a command, and the algorithms that it names. Without one, all are stored. */
export interface NewUser {
  readonly username: string;
  readonly realm: string;
  readonly algorithm?: readonly StoredAlgorithm[] | undefined;
}

export interface DigestLine extends DigestHash {
  readonly algorithm: StoredAlgorithm;
}

export function hashesOf({ username, realm, password, algorithms }: Login): readonly DigestLine[] {
  return algorithms.map((algorithm) => ({
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
export async function readLogin({ username: given, realm, algorithm: chosen }: NewUser): Promise<Login | string> {
  const username = given.normalize('NFC');
  const fault = nameFault(username, realm);
  if (fault !== undefined) return fault;
  const secret = await readSecret('Password');
  if (secret.kind === 'unreadable') return secret.message;
  const prepared = preparePassword(secret.text);
  if (prepared.kind === 'unfit') return passwordFaults[prepared.reason];
  const algorithms = digestAlgorithmsOption.filter((name) => chosen?.includes(name) ?? true);
  return { username, realm, password: secret.text.normalize('NFC'), algorithms };
}
