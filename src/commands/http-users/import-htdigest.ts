import type { Service } from '../../authorization/service/service.ts';
import { seconds } from '../../base/clock.ts';
import { type HtdigestEntry, parseHtdigest } from '../../config/files/htdigest.ts';
import type { LineFault } from '../../config/files/user-lines.ts';
import { userHash } from '../../http-auth/digest-response.ts';
import type { CarriedLine, StoredUser, UserFormat } from './user-format.ts';

interface DigestLine extends CarriedLine {
  readonly entry: HtdigestEntry;
}

export const htdigest: UserFormat<DigestLine> = {
  read(text) {
    const { users, faults } = parseHtdigest(text);
    const carried = users.map((entry) => ({ ...entry, entry, text: lineOf(entry) }));
    return { carried, left: [...faults, ...weakUsers(carried)].sort((one, other) => one.line - other.line) };
  },

  async store(service, entries, isReplacing) {
    const byName = Map.groupBy(entries, ({ entry }) => JSON.stringify([entry.realm, entry.username]));
    const stored: StoredUser[] = [];
    for (const lines of byName.values()) stored.push(await storeOne(service, lines, isReplacing));
    return stored;
  },
};

/** The algorithm is written if the length of the hash does not tell it. */
function lineOf({ username, realm, algorithm, ha1 }: HtdigestEntry): string {
  return algorithm === 'SHA-512-256' ? `${username}:${realm}:${algorithm}:${ha1}` : `${username}:${realm}:${ha1}`;
}

/** Users with MD5 only: without the password, no other hash can be made. */
function weakUsers(lines: readonly DigestLine[]): readonly LineFault[] {
  const byName = Map.groupBy(lines, ({ entry }) => JSON.stringify([entry.realm, entry.username]));
  return [...byName.values()]
    .filter((own) => own.every(({ entry }) => entry.algorithm === 'MD5'))
    .map(([first]) => ({
      line: first?.line ?? 0,
      message: `\`${first?.username}\` has only an MD5 hash, so the route must offer only MD5`,
      hint: 'write `algorithms: [MD5]`, or set a new password with `gatehouse digest set`: clients use the strongest algorithm that the route offers',
    }));
}

async function storeOne(
  { records, clock, audit }: Service,
  lines: readonly DigestLine[],
  isReplacing: boolean,
): Promise<StoredUser> {
  const entries = lines.map(({ entry }) => entry);
  const { username = '', realm = '' } = entries[0] ?? {};
  const hashes = entries.map(({ algorithm, ha1 }) => ({
    algorithm,
    ha1,
    userhash: userHash(algorithm, username, realm),
  }));
  const user = { username, realm, hashes, changedAt: seconds(clock) };
  const kinds = entries.map(({ algorithm }) => algorithm);
  const isAdded = await records.addDigestUser(user);
  if (!isAdded && !isReplacing)
    return { username, realm, kinds, outcome: 'kept', reason: 'already exists, and stays unchanged' };
  if (!isAdded) await records.setDigestUser(user);
  audit.record('digest_user_set', { username, realm, detail: 'by command: imported' });
  return { username, realm, kinds, outcome: isAdded ? 'added' : 'replaced' };
}
