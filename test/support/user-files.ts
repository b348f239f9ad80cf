import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { StoredAlgorithm } from '../../src/http-auth/digest-algorithms.ts';
import { storedHash } from '../../src/http-auth/digest-response.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Writes a file of users that only its owner can read, deleted after the test. */
export function userFile(t: Test, text: string): string {
  const directory = temporaryFolder(t);
  const file = join(directory, 'users');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** A line of htdigest for each algorithm. */
export function digestLines(
  username: string,
  realm: string,
  password: string,
  algorithms: readonly StoredAlgorithm[] = ['MD5', 'SHA-256', 'SHA-512-256'],
): string {
  return algorithms
    .map((algorithm) => `${username}:${realm}:${algorithm}:${storedHash(algorithm, username, realm, password)}\n`)
    .join('');
}
