import type { DigestName } from '../../storage/records/records.ts';
import type { CommandReport } from '../administration/administer.ts';
import { table } from '../common/table.ts';
import type { Login } from './digest-hashes.ts';

/** The reports of `gatehouse digest`, for a file and for a store. */

export function setReport({ username, realm, algorithms }: Login, isChanged: boolean): CommandReport {
  const json = { username, realm, algorithms, replaced: isChanged };
  const hashes = algorithms.length === 1 ? 'a hash' : 'hashes';
  return { json, text: `${username} has ${hashes} for ${algorithms.join(', ')} in the realm ${realm}\n` };
}

export function removedReport({ username, realm }: DigestName): CommandReport {
  return { json: { username, realm, removed: true }, text: `${username} can no longer log in to ${realm}\n` };
}

interface Listed extends DigestName {
  readonly algorithms: readonly string[];
  readonly changed?: string;
}

export function listReport(users: readonly Listed[]): CommandReport {
  const cells = users.map(({ username, realm, algorithms: kept, changed = '-' }) => [
    username,
    realm,
    kept.join(' '),
    changed,
  ]);
  return { json: users, text: table([['USER', 'REALM', 'ALGORITHMS', 'CHANGED'], ...cells]) };
}
