// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { storageServer } from '../../../base/storage-urls.ts';
import { digestAlgorithms, type StoredAlgorithm } from '../../../http-auth/digest-algorithms.ts';
import { type HtdigestEntry, parseHtdigest } from '../../files/htdigest.ts';
import { passesOver } from '../../files/referred-file.ts';
import { readUserFile } from '../../files/user-file.ts';
import { didYouMean } from '../../words/closest.ts';
import { sharedDatabaseFaults } from '../../words/database-url.ts';
import type { Finding, Pointer } from '../../words/problem.ts';
import { secretKeyFaults } from '../../words/secret-key.ts';
import type { FileFacts, PlacedBlock } from '../scheme.ts';
import { strangers, usersPathOf, warnedAt } from '../users-rules.ts';
import type { DigestConfig, DigestUsersInStore } from './schema.ts';

export function userFaults({ at, value: digest }: PlacedBlock<DigestConfig>, file: FileFacts): readonly Finding[] {
  const pointer = [...at, 'users'];
  if (typeof digest.users !== 'string') return storeFaults(pointer, digest.users);
  if (passesOver(digest.users, file.around, 'secrets')) return [];
  const read = readUserFile(digest.users, file.around, parseHtdigest);
  if (!read.ok) return read.faults.map(usersPathOf(pointer));
  const entries = read.users.filter(({ realm }) => realm === digest.realm);
  const users = [...new Set(entries.map(({ username }) => username))];
  const found = [...read.warnings.map(warnedAt(pointer)), ...strangers(at, Object.keys(digest.scopes), users)];
  if (users.length > 0) return [...found, ...lockedOut(at, digest, entries)];
  const message = `no line of ${digest.users} is for the realm \`${digest.realm}\`, so no user can log in`;
  const realms = [...new Set(read.users.map(({ realm }) => realm))];
  return [{ pointer: [...at, 'realm'], severity: 'warning', message, hint: didYouMean(digest.realm, realms) }];
}

/** At most this many names are reported. */
const NAMED = 5;

/** Users whose hashes have none of the offered algorithms. The gateway rejects even their right passwords. */
function lockedOut(
  at: Pointer,
  { algorithms, realm }: DigestConfig,
  entries: readonly HtdigestEntry[],
): readonly Finding[] {
  const offered = new Set<StoredAlgorithm>(algorithms.map((name) => digestAlgorithms[name].stored));
  const served = new Set(entries.filter(({ algorithm }) => offered.has(algorithm)).map(({ username }) => username));
  const others = entries.filter(({ username }) => !served.has(username));
  const names = [...new Set(others.map(({ username }) => `\`${username}\``))];
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const kept = [...new Set(others.map(({ algorithm }) => algorithm))].join(', ');
  const message = `${names.slice(0, NAMED).join(', ')}${more} cannot log in: their hashes have the algorithm ${kept}, and \`algorithms\` offers ${algorithms.join(', ')}`;
  const hint = `offer ${kept} too, or set their passwords again: gatehouse digest set NAME --realm ${realm} --file FILE`;
  return [{ pointer: [...at, 'algorithms'], severity: 'warning', message, hint }];
}

function storeFaults(at: Pointer, { storage, encryption_keys }: DigestUsersInStore): readonly Finding[] {
  const faults = [
    ...sharedDatabaseFaults([...at, 'storage'], storage),
    ...(encryption_keys ?? []).flatMap((key, index) => secretKeyFaults([...at, 'encryption_keys', index], key)),
  ];
  const server = storageServer(storage);
  if (server === undefined || (encryption_keys ?? []).length > 0) return faults;
  const message = `the hashes of Digest in a ${server.name} database are sealed, and need \`encryption_keys\``;
  const hint = 'write the `encryption_keys` of the authorization service, such as ["${file:PATH}"]';
  return [...faults, { pointer: [...at, 'storage'], message, hint }];
}
