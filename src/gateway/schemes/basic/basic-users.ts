import type { Asker } from '../../../base/bounded-queue.ts';
import { usernameKey } from '../../../base/username.ts';
import type { Htpasswd } from '../../../config/files/htpasswd.ts';
import { parseStoredPassword, type StoredPassword } from '../../../config/files/stored-password.ts';
import type { PasswordFact } from '../../../storage/lookup/users.ts';
import { DecoyHashes } from '../decoys.ts';
import { foundOr, type LookupResult, type UserLookup, unknownUser } from '../lookup-result.ts';
import type { UserStore } from '../user-store.ts';

export interface BasicUser {
  readonly username: string;
  readonly stored: StoredPassword;
  /** Changes when the password changes. */
  readonly print: string;
}

/** The users of Basic on the routes that share one block. */
export interface BasicUsers {
  /** The name by which wrong passwords count: the same for each spelling of a username. */
  keyOf(username: string): string;
  find(username: string, asker: Asker): UserLookup<BasicUser>;
  /** The gateway hashes this if no user has the name, to do the same work. Undefined: there are no users at all. */
  decoyOf(username: string): StoredPassword | undefined;
}

/** Users of a file. Names are case-sensitive. A changed file is another object. */
export function basicUsersOfFile(users: Htpasswd): BasicUsers {
  const decoys = new DecoyHashes([...users.values()]);
  return {
    keyOf: (username) => username,
    find(username) {
      const stored = users.get(username);
      return foundOr(stored && { username, stored, print: '' });
    },
    decoyOf: (username) => decoys.of(username),
  };
}

/** Users of a store, in which one account may have a name in many spellings. */
export function basicUsersOfStore(store: UserStore): BasicUsers {
  return {
    keyOf: usernameKey,
    find(username, asker) {
      const sought = store.findPassword(usernameKey(username), asker);
      return sought instanceof Promise ? sought.then(parsed) : parsed(sought);
    },
    decoyOf: (username) => store.decoyOf(usernameKey(username)),
  };
}

/** No password matches an entry that cannot be parsed. */
function parsed(answered: LookupResult<PasswordFact>): LookupResult<BasicUser> {
  if (answered.kind !== 'found') return answered;
  const { username, passwordHash } = answered.user;
  const stored = parseStoredPassword(passwordHash);
  return stored.ok ? { kind: 'found', user: { username, stored: stored.value, print: passwordHash } } : unknownUser;
}
