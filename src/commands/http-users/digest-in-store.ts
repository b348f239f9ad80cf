import type { Service } from '../../authorization/service/service.ts';
import { seconds } from '../../base/clock.ts';
import { type CommandReport, Refusal } from '../administration/administer.ts';
import { isoTime } from '../administration/shown.ts';
import { hashesOf, type NewUser, readLogin } from './digest-hashes.ts';
import { listReport, removedReport, setReport } from './digest-reports.ts';

/** The users of Digest in the store of the authorization service. */
export const inStore = {
  async set({ records, clock }: Service, user: NewUser): Promise<CommandReport> {
    const login = await readLogin(user);
    if (typeof login === 'string') throw new Refusal(login);
    const name = { username: login.username, realm: login.realm };
    const isChanged = await records.setDigestUser({ ...name, hashes: hashesOf(login), changedAt: seconds(clock) });
    return { ...setReport(login, isChanged), audit: { event: 'digest_user_set', facts: name } };
  },

  async list({ records }: Service, realm: string | undefined): Promise<CommandReport> {
    const users = await records.listDigestUsers();
    const own = users.filter((user) => realm === undefined || user.realm === realm);
    return listReport(own.map(({ changedAt, ...user }) => ({ ...user, changed: isoTime(changedAt) })));
  },

  async remove({ records }: Service, given: string, realm: string): Promise<CommandReport> {
    const name = { username: given.normalize('NFC'), realm };
    if (!(await records.removeDigestUser(name)))
      throw new Refusal(`there is no user ${name.username} of the realm ${realm}`);
    return { ...removedReport(name), audit: { event: 'digest_user_removed', facts: name } };
  },
};
