import type { HtdigestEntry } from '../../config/files/htdigest.ts';
import { type CommandReport, Refusal } from '../administration/administer.ts';
import { openDigestFile, replaceFile, withoutUser, withUser } from './digest-file.ts';
import { type NewUser, readLogin } from './digest-hashes.ts';
import { listReport, removedReport, setReport } from './digest-reports.ts';

/** The users of Digest in a file. Each function throws a `Refusal` that tells the operator what to change. */
export const inFile = {
  async set(file: string, user: NewUser): Promise<CommandReport> {
    const login = await readLogin(user);
    if (typeof login === 'string') throw new Refusal(login);
    const { text, users } = open(file);
    write(file, withUser(text, login));
    return setReport(login, users.some(isOf(login)));
  },

  async list(file: string, realm: string | undefined): Promise<CommandReport> {
    const { users } = open(file);
    const own = users.filter((user) => realm === undefined || user.realm === realm);
    const byName = Map.groupBy(own, (user) => JSON.stringify([user.realm, user.username]));
    return listReport(
      [...byName.values()].map((entries) => ({
        realm: entries[0]?.realm ?? '',
        username: entries[0]?.username ?? '',
        algorithms: entries.map(({ algorithm }) => algorithm),
      })),
    );
  },

  async remove(file: string, given: string, realm: string): Promise<CommandReport> {
    const name = { username: given.normalize('NFC'), realm };
    const { text, users } = open(file);
    if (!users.some(isOf(name)))
      throw new Refusal(`there is no user ${name.username} of the realm ${realm} in ${file}`);
    write(file, withoutUser(text, name));
    return removedReport(name);
  },
};

function isOf(name: Pick<HtdigestEntry, 'username' | 'realm'>): (entry: HtdigestEntry) => boolean {
  return ({ username, realm }) => username === name.username && realm === name.realm;
}

function open(file: string) {
  const opened = openDigestFile(file);
  if (typeof opened === 'string') throw new Refusal(opened);
  return opened;
}

function write(file: string, text: string): void {
  const fault = replaceFile(file, text);
  if (fault !== undefined) throw new Refusal(fault);
}
