import type { Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import {
  all,
  bytes,
  changed,
  first,
  integer,
  integerOrNone,
  json,
  type Row,
  run,
  text,
  type Verb,
} from '../engine/verb.ts';
import { LONGEST_LIFE, reportEach } from './events.ts';

export interface NewSigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** PKCS #8, DER; sealed in the database. */
  readonly privateKey: Uint8Array;
  readonly createdAt: number;
}

export interface SigningKeyRecord extends NewSigningKey {
  /** next: published, does not sign yet; retired: published until the last token that it signed expires. */
  readonly status: 'next' | 'current' | 'retired';
  /** The time when it stopped signing; undefined unless retired. */
  readonly retiredAt: number | undefined;
}

export function signingKeys(seal: Seal) {
  return {
    /** Makes the candidate the current key of its algorithm, unless there is one. Returns the current key. */
    *adoptSigningKey(candidate: NewSigningKey): Verb<SigningKeyRecord> {
      yield* insertKey(seal, candidate, 'current');
      const row = yield* first("SELECT * FROM signing_key WHERE alg = $1 AND status = 'current'", candidate.alg);
      return signingKey(row as Row, seal);
    },

    *listSigningKeys(): Verb<readonly SigningKeyRecord[]> {
      const rows = yield* all('SELECT * FROM signing_key ORDER BY created_at, kid');
      return rows.map((row) => signingKey(row, seal));
    },

    /** Lists the keys with their states, and opens none of them. */
    *listSigningKids(): Verb<readonly Pick<SigningKeyRecord, 'kid' | 'status'>[]> {
      const rows = yield* all('SELECT kid, status FROM signing_key ORDER BY created_at, kid');
      return rows.map((row) => ({ kid: text(row, 'kid'), status: statusOf(row) }));
    },

    /** Publishes the candidate as the next key of its algorithm; false if a next key already exists. */
    *announceSigningKey(candidate: NewSigningKey): Verb<boolean> {
      return yield* insertKey(seal, candidate, 'next');
    },

    /** Makes the next key of the algorithm the current one, if it was published before `publishedBefore`. */
    *promoteSigningKey(promotion: Promotion): Verb<boolean> {
      return yield* promote(promotion);
    },

    /** Makes the candidate the only key of its algorithm. For a leaked key, whose tokens must end. */
    *replaceSigningKeys(candidate: NewSigningKey): Verb<void> {
      const rows = yield* all('DELETE FROM signing_key WHERE alg = $1 RETURNING kid', candidate.alg);
      yield* insertKey(seal, candidate, 'current');
      const now = candidate.createdAt;
      const ended = rows.map((row) => ({ key: text(row, 'kid'), until: now + LONGEST_LIFE }));
      yield* reportEach('kid', ended, now);
    },

    *removeSigningKeys(retiredBefore: number): Verb<number> {
      const rows = yield* all(
        "DELETE FROM signing_key WHERE status = 'retired' AND retired_at <= $1 RETURNING kid",
        retiredBefore,
      );
      return rows.length;
    },
  };
}

export interface Promotion {
  readonly alg: string;
  readonly publishedBefore: number;
  readonly now: number;
}

function* promote({ alg, publishedBefore, now }: Promotion): Verb<boolean> {
  // Changes nothing, but takes the write lock. Of two promotions at once, the second waits here, and then finds no next key.
  const next = yield* first(
    "UPDATE signing_key SET status = 'next' WHERE alg = $1 AND status = 'next' AND created_at <= $2 RETURNING kid",
    alg,
    publishedBefore,
  );
  if (next === undefined) return false;
  yield* run(
    "UPDATE signing_key SET status = 'retired', retired_at = $2 WHERE alg = $1 AND status = 'current'",
    alg,
    now,
  );
  yield* run("UPDATE signing_key SET status = 'current' WHERE kid = $1", text(next, 'kid'));
  return true;
}

function* insertKey(seal: Seal, key: NewSigningKey, status: SigningKeyRecord['status']): Verb<boolean> {
  return yield* changed(
    `INSERT INTO signing_key (kid, alg, status, public_jwk, private_key, created_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING kid`,
    key.kid,
    key.alg,
    status,
    JSON.stringify(key.publicJwk),
    seal.seal(key.privateKey, purpose(key.kid)),
    key.createdAt,
  );
}

function signingKey(row: Row, seal: Seal): SigningKeyRecord {
  const kid = text(row, 'kid');
  return {
    kid,
    alg: text(row, 'alg'),
    status: statusOf(row),
    publicJwk: json(row, 'public_jwk'),
    privateKey: seal.open(bytes(row, 'private_key'), purpose(kid)),
    createdAt: integer(row, 'created_at'),
    retiredAt: integerOrNone(row, 'retired_at'),
  };
}

function statusOf(row: Row): SigningKeyRecord['status'] {
  return row.status as SigningKeyRecord['status'];
}

function purpose(kid: string): string {
  return `signing key ${kid}`;
}

export const sealedSigningKeys: SealedColumn = {
  table: 'signing_key',
  column: 'private_key',
  key: ['kid'],
  purpose: (row) => purpose(text(row, 'kid')),
};
