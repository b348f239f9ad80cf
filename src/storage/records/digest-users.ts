import type { Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import { all, changed, first, integer, type Row, run, text, type Verb } from '../engine/verb.ts';

/** The stored values of one user of Digest for one algorithm. */
export interface DigestHash {
  readonly algorithm: string;
  /** H(user:realm:password), in lower-case hexadecimal. It is as good as the password, so the database has it sealed. */
  readonly ha1: string;
  /** H(user:realm), which a client may send instead of the name (RFC 7616 §3.4.4). */
  readonly userhash: string;
}

export interface DigestUserRecord {
  readonly realm: string;
  readonly username: string;
  readonly hashes: readonly DigestHash[];
  readonly changedAt: number;
}

/** A user in a list, without hashes. */
export type ListedDigestUser = Omit<DigestUserRecord, 'hashes'> & { readonly algorithms: readonly string[] };

export type DigestName = Pick<DigestUserRecord, 'realm' | 'username'>;

export function digestUsers(seal: Seal) {
  function* insert({ realm, username, hashes, changedAt }: DigestUserRecord): Verb<void> {
    for (const { algorithm, ha1, userhash } of hashes)
      yield* run(
        `INSERT INTO digest_user (realm, username, algorithm, userhash, ha1, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        realm,
        username,
        algorithm,
        userhash,
        seal.seal(Buffer.from(ha1), purposeOf({ realm, username, algorithm })),
        changedAt,
      );
  }
  return {
    /** Replaces all values of this name; false if there were none. */
    *setDigestUser(user: DigestUserRecord): Verb<boolean> {
      const wasThere = yield* removeDigestUser(user);
      yield* insert(user);
      return wasThere;
    },
    /** False if values of this name exist; then nothing changes. */
    *addDigestUser(user: DigestUserRecord): Verb<boolean> {
      const found = yield* first(
        'SELECT 1 AS found FROM digest_user WHERE realm = $1 AND username = $2 LIMIT 1',
        user.realm,
        user.username,
      );
      if (found !== undefined) return false;
      yield* insert(user);
      return true;
    },
  };
}

/** The purpose of a sealed HA1. In another row, the value does not open. */
export function purposeOf({ realm, username, algorithm }: DigestName & Pick<DigestHash, 'algorithm'>): string {
  return `digest user ${JSON.stringify([realm, username, algorithm])}`;
}

/** False if there is none. */
export function* removeDigestUser({ realm, username }: DigestName): Verb<boolean> {
  return yield* changed(
    'DELETE FROM digest_user WHERE realm = $1 AND username = $2 RETURNING algorithm',
    realm,
    username,
  );
}

/** By realm and name. */
export function* listDigestUsers(): Verb<readonly ListedDigestUser[]> {
  const rows = yield* all(
    'SELECT realm, username, algorithm, changed_at FROM digest_user ORDER BY realm, username, algorithm',
  );
  const users = Map.groupBy(rows, (row) => JSON.stringify([text(row, 'realm'), text(row, 'username')]));
  return [...users.values()].map(listed);
}

function listed(rows: readonly Row[]): ListedDigestUser {
  const [row = {}] = rows;
  return {
    realm: text(row, 'realm'),
    username: text(row, 'username'),
    algorithms: rows.map((each) => text(each, 'algorithm')),
    changedAt: integer(row, 'changed_at'),
  };
}

export interface DigestWanted {
  readonly realm: string;
  readonly algorithm: string;
  /** A username, or with `isHashed` the hash of a username. */
  readonly name: string;
  readonly isHashed: boolean;
}

/** `ha1` is still sealed. */
export function* findDigestHash(wanted: DigestWanted): Verb<Row | undefined> {
  const column = wanted.isHashed ? 'userhash' : 'username';
  return yield* first(
    `SELECT username, ha1 FROM digest_user WHERE realm = $1 AND algorithm = $2 AND ${column} = $3`,
    wanted.realm,
    wanted.algorithm,
    wanted.name,
  );
}

export const sealedDigestUsers: SealedColumn = {
  table: 'digest_user',
  column: 'ha1',
  key: ['realm', 'username', 'algorithm'],
  purpose: (row) =>
    purposeOf({ realm: text(row, 'realm'), username: text(row, 'username'), algorithm: text(row, 'algorithm') }),
};
