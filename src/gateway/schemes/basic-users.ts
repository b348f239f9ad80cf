import { randomBytes } from 'node:crypto';
import { currentCost, formatPasswordHash, HASH_LENGTH, SALT_LENGTH } from '../../base/password-hash.ts';
import { usernameKey } from '../../base/username.ts';
import type { Htpasswd } from '../../config/htpasswd.ts';
import { parseStoredPassword, type StoredPassword } from '../../config/stored-password.ts';
import type { PasswordFact } from '../../storage/read-users.ts';
import { dearest } from './password-judge.ts';
import { type Answered, foundOr, type Sought, unknown } from './sought.ts';
import type { UserStore } from './user-store.ts';

export interface BasicUser {
  readonly username: string;
  readonly stored: StoredPassword;
  /** Another one where the password was changed. */
  readonly print: string;
}

/** The users of Basic on the routes that share one block. */
export interface BasicUsers {
  /** What a name is counted by when its password is guessed: the same for each spelling of it. */
  keyOf(username: string): string;
  find(username: string, forWhom: string): Sought<BasicUser>;
  /** Judged in the place of what an unknown user has not; undefined: there is nobody. */
  readonly decoy: StoredPassword | undefined;
}

/** Of a file. Case counts, and a change of the file is another object. */
export function basicUsersOfFile(users: Htpasswd): BasicUsers {
  return {
    keyOf: (username) => username,
    find(username) {
      const stored = users.get(username);
      return foundOr(stored && { username, stored, print: '' });
    },
    decoy: dearest(users.values()),
  };
}

/** Of a store, where an account has one name in many spellings. */
export function basicUsersOfStore(store: UserStore): BasicUsers {
  return {
    keyOf: usernameKey,
    find(username, forWhom) {
      const sought = store.findPassword(usernameKey(username), forWhom);
      return sought instanceof Promise ? sought.then(parsed) : parsed(sought);
    },
    decoy: decoyOfToday(),
  };
}

/** What cannot be parsed nobody has the password of. */
function parsed(answered: Answered<PasswordFact>): Answered<BasicUser> {
  if (answered.kind !== 'found') return answered;
  const { username, passwordHash } = answered.user;
  const stored = parseStoredPassword(passwordHash);
  return stored.ok ? { kind: 'found', user: { username, stored: stored.value, print: passwordHash } } : unknown;
}

/** As dear as the hash of an account that is added today. */
function decoyOfToday(): StoredPassword | undefined {
  const phc = formatPasswordHash({ ...currentCost, salt: randomBytes(SALT_LENGTH), hash: randomBytes(HASH_LENGTH) });
  const parsed = parseStoredPassword(phc);
  return parsed.ok ? parsed.value : undefined;
}
