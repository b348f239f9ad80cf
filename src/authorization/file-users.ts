import { seconds } from '../base/clock.ts';
import { sameBytes } from '../base/secret.ts';
import type { UserConfig } from '../config/schema/authorization.ts';
import type { FileUserRecord } from '../storage/records/records.ts';
import { userKeysUntil } from './keys/user-keys.ts';
import { passwordDigest } from './people/password-digest.ts';
import type { Service } from './service/service.ts';

/**
 * Compares the users with the current file. If a password changed or a user is gone, everything that depends on it ends:
 * sessions, codes, grants, session keys. A service that still runs with the old file no longer accepts the old password,
 * because a login saves only with the current digest (see `Premises`).
 */
export async function takeUpFileUsers(service: Service): Promise<void> {
  const { config, records, secrets } = service;
  const users = config.users.map((user) => ({ ...user, passwordDigest: passwordDigest(secrets, user) }));
  const before = await digestsBySubject(service);
  const fresh = users.filter(({ subject }) => !before.has(subject));
  if (fresh.length > 0) await records.addFileUsers(fresh);
  const known = fresh.length > 0 ? await digestsBySubject(service) : before;
  for (const user of users) {
    const digest = known.get(user.subject);
    if (digest !== undefined && !sameBytes(digest, user.passwordDigest)) await endOldPassword(service, user);
  }
  const subjects = new Set(users.map(({ subject }) => subject));
  for (const subject of before.keys()) if (!subjects.has(subject)) await endRemoved(service, subject);
}

async function digestsBySubject({ records }: Service): Promise<ReadonlyMap<string, Uint8Array>> {
  return new Map((await records.listFileUsers()).map(({ subject, passwordDigest }) => [subject, passwordDigest]));
}

async function endOldPassword(service: Service, user: UserConfig & FileUserRecord): Promise<void> {
  const { subject, username, passwordDigest } = user;
  const { config, clock, records, audit } = service;
  const now = seconds(clock);
  const keysUntil = config.signing.rotate_on_password_change ? userKeysUntil(config, now) : undefined;
  if (!(await records.changeFileUser({ subject, passwordDigest, now, keysUntil }))) return;
  audit.record('password_set', { sub: subject, username, detail: 'in the file' });
}

async function endRemoved({ config, clock, records, audit }: Service, subject: string): Promise<void> {
  const now = seconds(clock);
  if (!(await records.removeFileUser({ subject, now, keysUntil: userKeysUntil(config, now) }))) return;
  audit.record('user_removed', { sub: subject, detail: 'from the file' });
}
