import type { Asker } from '../../../base/bounded-queue.ts';
import type { HtdigestEntry } from '../../../config/files/htdigest.ts';
import type { DigestCredentials } from '../../../http-auth/digest.ts';
import type { DigestAlgorithmName, StoredAlgorithm } from '../../../http-auth/digest-algorithms.ts';
import { digestAlgorithms } from '../../../http-auth/digest-algorithms.ts';
import { userHash } from '../../../http-auth/digest-response.ts';
import { foundOr, type UserLookup } from '../lookup-result.ts';
import type { UserStore } from '../user-store.ts';

export interface DigestUser {
  readonly username: string;
  readonly ha1: string;
}

/** The users of one realm, found by name or by the name's hash (RFC 7616 §3.4.4). */
export interface DigestUsers {
  find(
    credentials: Pick<DigestCredentials, 'username' | 'userhash'>,
    algorithm: DigestAlgorithmName,
    /** The client's address block, for the queue. */
    asker: Asker,
  ): UserLookup<DigestUser>;
  /** For the log: why an existing user has no hash for this algorithm. Undefined: the reason is unknown. */
  lacks?(
    credentials: Pick<DigestCredentials, 'username' | 'userhash'>,
    algorithm: DigestAlgorithmName,
  ): string | undefined;
}

type Users = ReadonlyMap<string, DigestUser>;
type Kept = Pick<DigestCredentials, 'userhash'> & { readonly algorithm: StoredAlgorithm };

const stored: readonly StoredAlgorithm[] = ['MD5', 'SHA-256', 'SHA-512-256'];

export function digestUsers(entries: readonly HtdigestEntry[], realm: string): DigestUsers {
  const own = entries.filter((entry) => entry.realm === realm);
  const tables = new Map<string, Users>();
  for (const algorithm of stored) {
    const users = own.filter((entry) => entry.algorithm === algorithm);
    const hashed = users.map((user) => [userHash(algorithm, user.username, realm), user] as const);
    tables.set(keyOf({ algorithm, userhash: false }), new Map(users.map((user) => [user.username, user])));
    tables.set(keyOf({ algorithm, userhash: true }), new Map(hashed));
  }
  return {
    lacks({ username, userhash }, name) {
      const of = (algorithm: StoredAlgorithm) => tables.get(keyOf({ algorithm, userhash }))?.get(username);
      const algorithm = digestAlgorithms[name].stored;
      const known = stored.map(of).find((user) => user !== undefined);
      return known === undefined || of(algorithm) !== undefined
        ? undefined
        : `no ${algorithm} hash is stored for this user`;
    },
    find: ({ username, userhash }, name) =>
      foundOr(tables.get(keyOf({ algorithm: digestAlgorithms[name].stored, userhash }))?.get(username)),
  };
}

export function digestUsersOfStore(store: UserStore, realm: string): DigestUsers {
  return {
    find: ({ username, userhash }, name, asker) =>
      store.findDigest({ realm, algorithm: digestAlgorithms[name].stored, name: username, isHashed: userhash }, asker),
  };
}

function keyOf({ algorithm, userhash }: Kept): string {
  return `${algorithm} ${userhash}`;
}
