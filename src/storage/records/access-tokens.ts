import { LONGEST_STEP } from '../../base/clock.ts';
import {
  all,
  changed,
  first,
  integer,
  integerOrNone,
  json,
  type Row,
  run,
  text,
  textOrNone,
  type Verb,
} from '../engine/verb.ts';
import { reportEvent } from './events.ts';

export interface AccessTokenRecord {
  /** SHA-256 of the token. The token itself is not stored. */
  readonly hash: Uint8Array;
  readonly clientId: string;
  readonly subject: string;
  /** Undefined if the client acts for itself. */
  readonly username: string | undefined;
  readonly scope: string;
  readonly audience: readonly string[];
  /** Claims in addition to those of every token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The grant that the token belongs to. The token ends with it. */
  readonly grantId: string | undefined;
  readonly authTime: number | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export type Revocation = 'revoked' | 'unknown' | 'other_client';

export function* saveAccessToken(token: AccessTokenRecord): Verb<void> {
  yield* run(
    `INSERT INTO access_token
       (hash, client_id, subject, username, scope, audience, claims, grant_id, auth_time, issued_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    token.hash,
    token.clientId,
    token.subject,
    token.username,
    token.scope,
    JSON.stringify(token.audience),
    JSON.stringify(token.claims),
    token.grantId,
    token.authTime,
    token.issuedAt,
    token.expiresAt,
  );
}

/** Every column except the hash, which is known: reading it would copy its bytes. */
const COLUMNS = `access_token.client_id, access_token.subject, access_token.username, access_token.scope,
  access_token.audience, access_token.claims, access_token.grant_id, access_token.auth_time, access_token.issued_at,
  access_token.expires_at`;

/** Only a token that is neither expired nor revoked at `now`, and whose grant is not revoked either. */
export function* findAccessToken(hash: Uint8Array, now: number): Verb<AccessTokenRecord | undefined> {
  const row = yield* first(
    `SELECT ${COLUMNS} FROM access_token
     LEFT JOIN authorization_grant ON authorization_grant.id = access_token.grant_id
     WHERE hash = $1 AND access_token.expires_at > $2 AND access_token.issued_at <= $2 + ${LONGEST_STEP}
       AND access_token.revoked_at IS NULL
       AND (grant_id IS NULL OR (authorization_grant.id IS NOT NULL AND authorization_grant.revoked_at IS NULL))`,
    hash,
    now,
  );
  return row && accessToken(hash, row);
}

export interface TokenRevocation {
  readonly hash: Uint8Array;
  readonly clientId: string;
  readonly now: number;
}

export function* revokeAccessToken({ hash, clientId, now }: TokenRevocation): Verb<Revocation> {
  const live = yield* first(
    `UPDATE access_token SET revoked_at = $3
     WHERE hash = $1 AND client_id = $2 AND revoked_at IS NULL RETURNING expires_at`,
    hash,
    clientId,
    now,
  );
  if (live === undefined) return yield* ownership(hash, clientId);
  yield* reportEvent('token_hash', tokenHashKey(hash), integer(live, 'expires_at'), now);
  return 'revoked';
}

/** For a token that is already revoked, or that belongs to another client. */
function* ownership(hash: Uint8Array, clientId: string): Verb<Revocation> {
  const row = yield* first('SELECT client_id FROM access_token WHERE hash = $1', hash);
  if (row === undefined) return 'unknown';
  return row.client_id === clientId ? 'revoked' : 'other_client';
}

/** The SHA-256 of a token in the form of the feed. */
export function tokenHashKey(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64url');
}

/** Extends a valid token; false if there is none. */
export function* extendAccessToken(hash: Uint8Array, expiresAt: number, now: number): Verb<boolean> {
  return yield* changed(
    `UPDATE access_token SET expires_at = $2
     WHERE hash = $1 AND expires_at > $3 AND issued_at <= $3 + ${LONGEST_STEP} AND revoked_at IS NULL
     RETURNING client_id`,
    hash,
    expiresAt,
    now,
  );
}

/** Revokes a JWT until its expiry. */
export function* denyJwt(jti: string, until: number, now: number): Verb<void> {
  const isNew = yield* changed(
    `INSERT INTO denied_jwt (jti, until) VALUES ($1, $2)
     ON CONFLICT (jti) DO UPDATE SET until = excluded.until WHERE excluded.until > denied_jwt.until RETURNING jti`,
    jti,
    until,
  );
  if (isNew) yield* reportEvent('jti', jti, until, now);
}

export interface JwtOrigin {
  readonly grantId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly issuedAt?: number | undefined;
  /** The id of the signing key, from the header. */
  readonly kid?: string | undefined;
}

/** True if the token, its grant, its client's tokens up to that time, or its signing key is revoked. */
export function* isJwtDenied(
  jti: string,
  now: number,
  { grantId, clientId, issuedAt, kid }: JwtOrigin = {},
): Verb<boolean> {
  const rows = yield* all(
    `SELECT 1 AS denied FROM denied_jwt WHERE jti = $1 AND until > $2
     UNION ALL SELECT 1 AS denied FROM authorization_grant WHERE id = $3 AND revoked_at IS NOT NULL
     UNION ALL SELECT 1 AS denied FROM event WHERE kind = 'client_nbf' AND key = $4 AND nbf > $5
     UNION ALL SELECT 1 AS denied FROM event WHERE kind = 'kid' AND key = $6`,
    jti,
    now,
    grantId,
    clientId,
    issuedAt,
    kid,
  );
  return rows.length > 0;
}

function accessToken(hash: Uint8Array, row: Row): AccessTokenRecord {
  return {
    hash,
    clientId: text(row, 'client_id'),
    subject: text(row, 'subject'),
    username: textOrNone(row, 'username'),
    scope: text(row, 'scope'),
    audience: json(row, 'audience'),
    claims: json(row, 'claims'),
    grantId: textOrNone(row, 'grant_id'),
    authTime: integerOrNone(row, 'auth_time'),
    issuedAt: integer(row, 'issued_at'),
    expiresAt: integer(row, 'expires_at'),
  };
}
