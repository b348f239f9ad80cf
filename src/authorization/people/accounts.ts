import type { Passwords } from '../../base/passwords.ts';
import { usernameKey } from '../../base/username.ts';
import type { UserConfig } from '../../config/schema/authorization.ts';
import type { AccountRecord, Premises, Records } from '../../storage/records/records.ts';
import type { Secrets } from '../clients/secrets.ts';
import { passwordDigest } from './password-digest.ts';

/** A person who can log in. */
export interface Account {
  /** `sub`. */
  readonly subject: string;
  readonly username: string;
  readonly name: string | undefined;
  /** PHC string. */
  readonly passwordHash: string;
  /** Only for an account in the store. */
  readonly passwordVersion: number;
  /** Only for an account in the file. */
  readonly passwordDigest?: Uint8Array | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  /** An account of the file changes only with the file. */
  readonly inFile: boolean;
}

/** The accounts of the file, then the accounts in the store. */
export interface Accounts {
  readonly inFile: readonly Account[];
  /** Finds an account by the typed name. */
  find(username: string): Promise<Account | undefined>;
  bySubject(subject: string): Promise<Account | undefined>;
}

export interface AccountDependencies {
  readonly records: Records;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
}

/** Rejects if a plain password of the file cannot be hashed. Plain passwords are for development. */
export async function buildAccounts(
  users: readonly UserConfig[],
  { records, passwords, secrets }: AccountDependencies,
): Promise<Accounts> {
  const accounts: Account[] = [];
  for (const user of users) accounts.push(await accountOfFile(user, passwords, secrets));
  const byName = new Map(accounts.map((account) => [usernameKey(account.username), account]));
  const bySubject = new Map(accounts.map((account) => [account.subject, account]));
  return {
    inFile: accounts,
    async find(username) {
      const key = usernameKey(username);
      // The store is asked even for users of the file. So neither time nor an outage reveals who is in the file.
      const stored = await records.findAccount(key);
      return byName.get(key) ?? accountOfRecord(stored);
    },
    async bySubject(subject) {
      return bySubject.get(subject) ?? accountOfRecord(await records.findAccountBySubject(subject));
    },
  };
}

async function accountOfFile(user: UserConfig, passwords: Passwords, secrets: Secrets): Promise<Account> {
  const { subject, username, name, claims, password_argon2 } = user;
  const passwordHash = password_argon2 ?? (await hashPlain(user, passwords));
  const digest = passwordDigest(secrets, user);
  return { subject, username, name, passwordHash, passwordVersion: 1, passwordDigest: digest, claims, inFile: true };
}

async function hashPlain({ username, password = '' }: UserConfig, passwords: Passwords): Promise<string> {
  const hashed = await passwords.hash(password);
  if (hashed.kind === 'hashed') return hashed.phc;
  throw new Error(`the password of the user ${username} cannot be hashed: ${hashed.kind}`);
}

function accountOfRecord(record: AccountRecord | undefined): Account | undefined {
  return record && { ...record, inFile: false };
}

/** The condition that must still be true when a result of the checked password is saved. */
export function judgedPassword({ subject, passwordVersion, passwordDigest }: Account): Premises {
  if (passwordDigest === undefined) return { password: { subject, version: passwordVersion } };
  return { filePassword: { subject, digest: passwordDigest } };
}
