import type { Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import { all, bytes, changed, first, integer, type Row, run, text, textOrNone, type Verb } from '../engine/verb.ts';
import { reportEvent } from './events.ts';

/** The key that signs the JWTs of one user. A new key has another `kid`, and nothing of the old key is kept. */
export interface NewUserKey {
  /** 16 random bytes in base64url. It reveals nothing about the user. */
  readonly kid: string;
  readonly subject: string;
  readonly alg: string;
  /** The public key, without names; undefined if signer and verifier share a secret. */
  readonly publicJwk: Readonly<Record<string, unknown>> | undefined;
  /** A JWK as JSON; sealed in the database. */
  readonly privateJwk: Uint8Array;
  readonly createdAt: number;
}

export interface UserKeyRecord extends Omit<NewUserKey, 'privateJwk'> {
  /** Opens the private key on demand, because a verifier does not need it. */
  openPrivateJwk(): Uint8Array;
}

/** The key that signed an access token. */
export type SignedBy = Pick<NewUserKey, 'subject' | 'alg' | 'kid'>;

/** The largest number of keys in one statement. */
export const MOST_KIDS = 32;

const KIDS = Array.from({ length: MOST_KIDS }, (_, index) => `$${index + 1}`).join(', ');

export function userKeys(seal: Seal) {
  return {
    /** Makes the candidate the user's key, unless there is one. Returns the user's key. Undefined: it was rotated meanwhile. */
    *adoptUserKey(candidate: NewUserKey): Verb<UserKeyRecord | undefined> {
      yield* run(
        `INSERT INTO user_key (subject, alg, kid, public_jwk, private_jwk, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (subject, alg) DO NOTHING`,
        ...userKeyRow(seal, candidate),
      );
      return yield* findCurrent(seal, candidate.subject, candidate.alg);
    },

    *findCurrentUserKey(subject: string, alg: string): Verb<UserKeyRecord | undefined> {
      return yield* findCurrent(seal, subject, alg);
    },

    *findUserKey(kid: string): Verb<UserKeyRecord | undefined> {
      const row = yield* first('SELECT * FROM user_key WHERE kid = $1', kid);
      return row && userKey(row, seal);
    },

    /** The existing keys, of up to `MOST_KIDS` ids in one statement, in no particular order. */
    *findUserKeys(kids: readonly string[]): Verb<readonly UserKeyRecord[]> {
      const asked = Array.from({ length: MOST_KIDS }, (_, index) => kids[index]);
      const rows = yield* all(`SELECT * FROM user_key WHERE kid IN (${KIDS})`, ...asked);
      return rows.map((row) => userKey(row, seal));
    },
  };
}

/** The row to write: subject, alg, kid, public_jwk, private_jwk, created_at. */
export function userKeyRow(seal: Seal, key: NewUserKey) {
  const publicJwk = key.publicJwk === undefined ? null : JSON.stringify(key.publicJwk);
  const privateJwk = seal.seal(key.privateJwk, purpose(key));
  return [key.subject, key.alg, key.kid, publicJwk, privateJwk, key.createdAt] as const;
}

function* findCurrent(seal: Seal, subject: string, alg: string): Verb<UserKeyRecord | undefined> {
  const row = yield* first('SELECT * FROM user_key WHERE subject = $1 AND alg = $2', subject, alg);
  return row && userKey(row, seal);
}

/**
 * True if this is still the user's key. The check is a write (see `Premises`). So a rotation waits until this transaction has
 * ended, and no token is issued with a rotated key.
 */
export function* isStillTheirs(signedBy: SignedBy): Verb<boolean> {
  return yield* changed(
    'UPDATE user_key SET created_at = created_at WHERE subject = $1 AND alg = $2 AND kid = $3 RETURNING kid',
    signedBy.subject,
    signedBy.alg,
    signedBy.kid,
  );
}

export interface UserKeyRotation {
  readonly subject: string;
  /** The expiry of the last JWT that the key may have signed. */
  readonly until: number;
  readonly now: number;
}

/**
 * Ends every JWT of a user at every verifier: both parts of the key are removed, and the feed reports it. The next token makes
 * the next key. Returns the `kid`s that ended. It is the last step of a larger verb. If that verb ends grants too,
 * `removeUserKeys` comes before them and `reportUserKeys` last, as in `endEverything`.
 */
export function* rotateUserKey({ subject, until, now }: UserKeyRotation): Verb<readonly string[]> {
  const kids = yield* removeUserKeys(subject);
  yield* reportUserKeys(kids, until, now);
  return kids;
}

/** Comes after sessions, and before codes and grants. An exchange of a code locks its rows in the same order. */
export function* removeUserKeys(subject: string): Verb<readonly string[]> {
  const rows = yield* all('DELETE FROM user_key WHERE subject = $1 RETURNING kid', subject);
  return rows.map((row) => text(row, 'kid'));
}

export function* reportUserKeys(kids: readonly string[], until: number, now: number): Verb<void> {
  for (const kid of kids) yield* reportEvent('kid', kid, until, now);
}

function userKey(row: Row, seal: Seal): UserKeyRecord {
  const named = { subject: text(row, 'subject'), alg: text(row, 'alg'), kid: text(row, 'kid') };
  const publicJwk = textOrNone(row, 'public_jwk');
  const sealed = bytes(row, 'private_jwk');
  return {
    ...named,
    publicJwk: publicJwk === undefined ? undefined : JSON.parse(publicJwk),
    openPrivateJwk: () => seal.open(sealed, purpose(named)),
    createdAt: integer(row, 'created_at'),
  };
}

/** A row that was copied to another user or algorithm does not open. */
function purpose({ subject, alg, kid }: SignedBy): string {
  return `user key ${JSON.stringify([subject, alg, kid])}`;
}

export const sealedUserKeys: SealedColumn = {
  table: 'user_key',
  column: 'private_jwk',
  key: ['subject', 'alg'],
  purpose: (row) => purpose({ subject: text(row, 'subject'), alg: text(row, 'alg'), kid: text(row, 'kid') }),
};
