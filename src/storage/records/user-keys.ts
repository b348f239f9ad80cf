import type { Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import { all, bytes, changed, first, integer, type Row, run, text, textOrNone, type Verb } from '../engine/verb.ts';
import { reportEvent } from './events.ts';

/** What signs the JWTs of one user. Each new version of it has another `kid`, and nothing of the one before is kept. */
export interface NewUserKey {
  /** 16 random bytes, base64url: it says nothing of the user. */
  readonly kid: string;
  readonly subject: string;
  readonly alg: string;
  /** What makes the key, without names; undefined where signer and verifier share a secret. */
  readonly publicJwk: Readonly<Record<string, unknown>> | undefined;
  /** A JWK as JSON; sealed before it is written. */
  readonly privateJwk: Uint8Array;
  readonly createdAt: number;
}

export interface UserKeyRecord extends Omit<NewUserKey, 'privateJwk'> {
  /** Sealed until it is needed: a verifier does not need it. */
  openPrivateJwk(): Uint8Array;
}

/** Which key an access token was signed with. */
export type SignedBy = Pick<NewUserKey, 'subject' | 'alg' | 'kid'>;

/** How many keys one statement asks for. */
export const MOST_KIDS = 32;

const KIDS = Array.from({ length: MOST_KIDS }, (_, index) => `$${index + 1}`).join(', ');

export function userKeys(seal: Seal) {
  return {
    /** Makes the candidate the user's key, unless there is one; the one that holds. Undefined: it was rotated meanwhile. */
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

    /** Up to `MOST_KIDS` of them in one statement, in no order; those that there are. */
    *findUserKeys(kids: readonly string[]): Verb<readonly UserKeyRecord[]> {
      const asked = Array.from({ length: MOST_KIDS }, (_, index) => kids[index]);
      const rows = yield* all(`SELECT * FROM user_key WHERE kid IN (${KIDS})`, ...asked);
      return rows.map((row) => userKey(row, seal));
    },
  };
}

/** As it is written: subject, alg, kid, public_jwk, private_jwk, created_at. */
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
 * Whether this is the user's key still. A look that is a write (see `Premises`): a rotation waits until the transaction
 * that asks has ended, so that no token leaves with a key that was rotated before.
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
  /** When the last JWT that the key can have signed ends by itself. */
  readonly until: number;
  readonly now: number;
}

/**
 * Ends every JWT of a user, wherever it is verified: the key is gone, private part and public, and the feed says so. The next
 * token makes the next key. Returns the `kid`s that ended. It is the last step of a larger verb. If that ends grants too,
 * `removeUserKeys` comes before them and `reportUserKeys` last, as in `endEverything`.
 */
export function* rotateUserKey({ subject, until, now }: UserKeyRotation): Verb<readonly string[]> {
  const kids = yield* removeUserKeys(subject);
  yield* reportUserKeys(kids, until, now);
  return kids;
}

/** After sessions and before codes and grants: the order in which an exchange of a code takes its rows. */
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

/** A row that was copied to another user, or under another algorithm, does not open. */
function purpose({ subject, alg, kid }: SignedBy): string {
  return `user key ${JSON.stringify([subject, alg, kid])}`;
}

export const sealedUserKeys: SealedColumn = {
  table: 'user_key',
  column: 'private_jwk',
  key: ['subject', 'alg'],
  purpose: (row) => purpose({ subject: text(row, 'subject'), alg: text(row, 'alg'), kid: text(row, 'kid') }),
};
