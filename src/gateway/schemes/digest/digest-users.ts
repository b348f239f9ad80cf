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

/** The users who have a hash of one algorithm. */
interface Table {
  readonly byName: Users;
  readonly byHash: Users;
}

const stored: readonly StoredAlgorithm[] = ['MD5', 'SHA-256', 'SHA-512-256'];

export function digestUsers(entries: readonly HtdigestEntry[], realm: string): DigestUsers {
  const own = entries.filter((entry) => entry.realm === realm);
  const tables = Object.fromEntries(stored.map((algorithm) => [algorithm, tableOf(own, algorithm)])) as Tables;
  const of = (algorithm: StoredAlgorithm, { username, userhash }: Named) => {
    const { byName, byHash } = tables[algorithm];
    return (userhash ? byHash : byName).get(username);
  };
  return {
    lacks(named, name) {
      const algorithm = digestAlgorithms[name].stored;
      const isKnown = stored.some((each) => of(each, named) !== undefined);
      return !isKnown || of(algorithm, named) !== undefined
        ? undefined
        : `no ${algorithm} hash is stored for this user`;
    },
    find: (named, name) => foundOr(of(digestAlgorithms[name].stored, named)),
  };
}

type Tables = Readonly<Record<StoredAlgorithm, Table>>;
type Named = Pick<DigestCredentials, 'username' | 'userhash'>;

function tableOf(entries: readonly HtdigestEntry[], algorithm: StoredAlgorithm): Table {
  const users = entries.filter((entry) => entry.algorithm === algorithm);
  const hashed = users.map((user) => [userHash(algorithm, user.username, user.realm), user] as const);
  return { byName: new Map(users.map((user) => [user.username, user])), byHash: new Map(hashed) };
}

export function digestUsersOfStore(store: UserStore, realm: string): DigestUsers {
  return {
    find: ({ username, userhash }, name, asker) =>
      store.findDigest({ realm, algorithm: digestAlgorithms[name].stored, name: username, isHashed: userhash }, asker),
  };
}
