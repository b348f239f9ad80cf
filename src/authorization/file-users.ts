import { isDeepStrictEqual } from 'node:util';
import { seconds } from '../base/clock.ts';
import { sameBytes } from '../base/secret.ts';
import type { UserConfig } from '../config/schema/authorization.ts';
import type { FileUserRecord } from '../storage/records/records.ts';
import { userKeysUntil } from './keys/user-keys.ts';
import { passwordDigest } from './people/password-digest.ts';
import type { Service } from './service/service.ts';
import { customClaims } from './tokens/issue.ts';

/**
 * Compares the users with the current file. If a password changed or a user is gone, everything that depends on it ends:
 * sessions, codes, grants, session keys. A service that still runs with the old file no longer accepts the old password,
 * because a login saves only with the current digest (see `Premises`). If the claims of a user changed, receivers of security
 * events hear of it.
 */
export async function takeUpFileUsers(service: Service): Promise<void> {
  const { config, records, secrets } = service;
  const users = config.users.map((user) => ({
    ...user,
    passwordDigest: passwordDigest(secrets, user),
    tokenClaims: JSON.stringify(tokenClaims(service, user)),
  }));
  const before = await knownBySubject(service);
  // An earlier version did not store the claims.
  const fresh = users.filter(({ subject }) => before.get(subject)?.tokenClaims === undefined);
  if (fresh.length > 0) await records.addFileUsers(fresh);
  const known = fresh.length > 0 ? await knownBySubject(service) : before;
  for (const user of users) {
    const last = known.get(user.subject);
    if (last === undefined) continue;
    if (!sameBytes(last.passwordDigest, user.passwordDigest)) await endOldPassword(service, user);
    await takeUpClaims(service, user, last.tokenClaims);
  }
  const subjects = new Set(users.map(({ subject }) => subject));
  for (const subject of before.keys()) if (!subjects.has(subject)) await endRemoved(service, subject);
}

async function knownBySubject({ records }: Service): Promise<ReadonlyMap<string, FileUserRecord>> {
  return new Map((await records.listFileUsers()).map((user) => [user.subject, user]));
}

type Claims = Readonly<Record<string, unknown>>;

/** The claims of access tokens that come from the user. */
function tokenClaims(service: Service, account: Pick<UserConfig, 'claims'>): Claims {
  return customClaims(service, { account, client: { claims: {} } });
}

interface Claiming {
  readonly subject: string;
  readonly tokenClaims: string;
}

async function takeUpClaims(service: Service, user: Claiming, before: string | undefined): Promise<void> {
  const { subject, tokenClaims: after } = user;
  if (before === undefined || before === after) return;
  const changed = changes(JSON.parse(before), JSON.parse(after));
  const now = seconds(service.clock);
  await service.records.changeTokenClaims({ subject, before, after, changed, now });
}

/** The new values (CAEP §3.2.1); null for a claim that is gone. */
function changes(before: Claims, after: Claims): Claims {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
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
