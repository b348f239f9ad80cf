import type { Service } from '../../authorization/service/service.ts';
import { seconds } from '../../base/clock.ts';
import { usernameKey } from '../../base/username.ts';
import { parseHtpasswd } from '../../config/files/htpasswd.ts';
import { userLines } from '../../config/files/user-lines.ts';
import type { CarriedLine, StoredUser, UserFormat } from './user-format.ts';

interface PasswordLine extends CarriedLine {
  readonly hash: string;
  readonly kind: string;
}

export const htpasswd: UserFormat<PasswordLine> = {
  read(text) {
    const { users, faults } = parseHtpasswd(text);
    const left = new Set(faults.map(({ line }) => line));
    const carried = userLines(text).flatMap(({ line, fields: [username = '', hash = ''] }) => {
      const kind = left.has(line) ? undefined : users.get(username)?.kind;
      return kind === undefined ? [] : [{ line, username, hash, kind, text: `${username}:${hash}` }];
    });
    return { carried, left: faults };
  },

  async store(service, entries, isReplacing) {
    const stored: StoredUser[] = [];
    const names = new Set<string>();
    for (const entry of entries) {
      const username = usernameKey(entry.username);
      const isTwice = names.has(username);
      names.add(username);
      stored.push(
        isTwice ? kept(entry, username, TWICE) : await storeOne(service, { ...entry, username }, isReplacing),
      );
    }
    return stored;
  },
};

const TWICE = 'occurs twice: the store ignores case';
const ACCOUNT = 'has an account with its own password, which stays unchanged';
const THERE = 'already exists, and stays unchanged';

function kept({ kind }: PasswordLine, username: string, reason: string): StoredUser {
  return { username, kinds: [kind], outcome: 'kept', reason };
}

async function storeOne(
  { records, clock, audit, accounts }: Service,
  line: PasswordLine,
  isReplacing: boolean,
): Promise<StoredUser> {
  const { username, hash: passwordHash, kind } = line;
  if ((await accounts.find(username)) !== undefined) return kept(line, username, ACCOUNT);
  const password = { username, passwordHash, changedAt: seconds(clock) };
  const isAdded = await records.addImportedPassword(password);
  if (!isAdded && !isReplacing) return kept(line, username, THERE);
  if (!isAdded && !(await records.setImportedPassword(password))) return kept(line, username, ACCOUNT);
  audit.record('password_imported', { username, detail: 'by command' });
  return { username, kinds: [kind], outcome: isAdded ? 'added' : 'replaced' };
}
