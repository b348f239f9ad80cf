import { LONGEST_STEP } from '../../base/clock.ts';
import type { Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import { all, bytes, changed, first, integer, type Row, text, type Verb } from '../engine/verb.ts';
import type { AccessTokenRecord, Revocation, TokenRevocation } from './access-tokens.ts';
import { type CodeClaim, consumeCode, type Redemption } from './codes.ts';
import { endedKey, endSessionKeys } from './ended-session-keys.ts';
import { reportEach } from './events.ts';

/** The key of the browserless exchange, which the application and this service share. There is one for each user and client. */
export interface SessionKeyRecord {
  readonly clientId: string;
  readonly subject: string;
  readonly username: string;
  /** The user's name at this client. */
  readonly openid: string;
  readonly scope: string;
  /** 32 bytes, sealed in the database. */
  readonly key: Uint8Array;
  /** SHA-256 of the key's text, for the lookup. */
  readonly hash: Uint8Array;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export function sessionKeys(seal: Seal) {
  return {
    /** Replaces the earlier key, and uses the code, in one transaction. */
    *redeemSessionCode(claim: CodeClaim, key: SessionKeyRecord): Verb<Redemption> {
      const redemption = yield* consumeCode(claim, key.expiresAt);
      if (redemption === 'replayed') yield* removeSessionKey(key, claim.now);
      if (redemption === 'redeemed') yield* replaceSessionKey(seal, key, claim.now);
      return redemption;
    },

    *findSessionKey(hash: Uint8Array, now: number): Verb<SessionKeyRecord | undefined> {
      const row = yield* first(
        `SELECT * FROM session_key WHERE hash = $1 AND expires_at > $2 AND issued_at <= $2 + ${LONGEST_STEP}`,
        hash,
        now,
      );
      return row && sessionKey(row, seal);
    },

    *findSessionKeyByOpenid(clientId: string, openid: string, now: number): Verb<SessionKeyRecord | undefined> {
      const row = yield* first(
        `SELECT * FROM session_key
         WHERE client_id = $1 AND openid = $2 AND expires_at > $3 AND issued_at <= $3 + ${LONGEST_STEP}`,
        clientId,
        openid,
        now,
      );
      return row && sessionKey(row, seal);
    },
  };
}

export function* revokeSessionKey({ hash, clientId, now }: TokenRevocation): Verb<Revocation> {
  const row = yield* first('SELECT client_id FROM session_key WHERE hash = $1', hash);
  if (row === undefined) return 'unknown';
  if (row.client_id !== clientId) return 'other_client';
  // By hash, so that a new key that replaced it meanwhile stays.
  const ended = yield* all('DELETE FROM session_key WHERE hash = $1 RETURNING hash, expires_at', hash);
  yield* reportEach(
    'token_hash',
    ended.map((row) => endedKey(row, now)),
    now,
  );
  return 'revoked';
}

function* removeSessionKey(holder: SessionKeyRecord, now: number): Verb<void> {
  yield* reportEach('token_hash', yield* endSessionKeys(holder, now), now);
}

/** The insert waits for another running insert, so this verb finds and reports that key too. */
function* replaceSessionKey(seal: Seal, key: SessionKeyRecord, now: number): Verb<void> {
  if (yield* insertSessionKey(seal, key)) return;
  const ended = yield* endSessionKeys(key, now);
  yield* insertSessionKey(seal, key);
  yield* reportEach('token_hash', ended, now);
}

function* insertSessionKey(seal: Seal, key: SessionKeyRecord): Verb<boolean> {
  return yield* changed(
    `INSERT INTO session_key (hash, client_id, subject, username, openid, scope, value, issued_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (client_id, subject) DO NOTHING RETURNING issued_at`,
    key.hash,
    key.clientId,
    key.subject,
    key.username,
    key.openid,
    key.scope,
    seal.seal(key.key, purpose(key)),
    key.issuedAt,
    key.expiresAt,
  );
}

function sessionKey(row: Row, seal: Seal): SessionKeyRecord {
  const named = { clientId: text(row, 'client_id'), subject: text(row, 'subject') };
  return {
    ...named,
    username: text(row, 'username'),
    openid: text(row, 'openid'),
    scope: text(row, 'scope'),
    key: seal.open(bytes(row, 'value'), purpose(named)),
    hash: bytes(row, 'hash'),
    issuedAt: integer(row, 'issued_at'),
    expiresAt: integer(row, 'expires_at'),
  };
}

function purpose({ clientId, subject }: Pick<AccessTokenRecord, 'clientId' | 'subject'>): string {
  return `session key ${JSON.stringify([clientId, subject])}`;
}

export const sealedSessionKeys: SealedColumn = {
  table: 'session_key',
  column: 'value',
  key: ['client_id', 'subject'],
  purpose: (row) => purpose({ clientId: text(row, 'client_id'), subject: text(row, 'subject') }),
};
