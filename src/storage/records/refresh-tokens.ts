import { LONGEST_STEP } from '../../base/clock.ts';
import {
  bytesOrNone,
  changed,
  first,
  flag,
  integer,
  integerOrNone,
  json,
  type Row,
  run,
  text,
  type Verb,
} from '../engine/verb.ts';
import {
  type AccessTokenRecord,
  extendAccessToken,
  type Revocation,
  saveAccessToken,
  type TokenRevocation,
} from './access-tokens.ts';
import { type GrantRecord, grant, holdGrant, noteUse, revokeGrant, saveGrant } from './grants.ts';
import { type Premises, stillHold } from './preconditions.ts';
import { isStillTheirs, removeUserKeys, reportUserKeys, type SignedBy } from './user-keys.ts';

export interface NewRefreshToken {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  readonly grantId: string;
  readonly scope: string;
  readonly audience: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The access token that a refresh extends, sealed with the refresh token itself. */
  readonly carried?: Uint8Array | undefined;
}

export interface RefreshTokenRecord {
  readonly grant: GrantRecord;
  readonly grantRevoked: boolean;
  readonly scope: string;
  readonly audience: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | undefined;
  /** The answer to its first use, sealed with the token itself. A client that lost the answer gets it again. */
  readonly response: Uint8Array | undefined;
  /** True if its successor was used. Then the answer was not lost. */
  readonly successorUsed: boolean;
  readonly carried: Uint8Array | undefined;
}

export function* saveRefreshToken(token: NewRefreshToken): Verb<void> {
  yield* run(
    `INSERT INTO refresh_token (hash, grant_id, scope, audience, issued_at, expires_at, carried)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    token.hash,
    token.grantId,
    token.scope,
    JSON.stringify(token.audience),
    token.issuedAt,
    token.expiresAt,
    token.carried,
  );
}

/** Finds used, expired and revoked tokens too. The caller decides about them. */
export function* findRefreshToken(hash: Uint8Array): Verb<RefreshTokenRecord | undefined> {
  const row = yield* first(
    `SELECT authorization_grant.*, refresh_token.scope AS token_scope, refresh_token.audience AS token_audience,
       refresh_token.issued_at AS token_issued_at, refresh_token.expires_at AS token_expires_at,
       refresh_token.used_at AS token_used_at, refresh_token.response, refresh_token.carried,
       CASE WHEN revoked_at IS NULL THEN 0 ELSE 1 END AS grant_revoked,
       CASE WHEN successor.used_at IS NULL THEN 0 ELSE 1 END AS successor_used
     FROM refresh_token
     JOIN authorization_grant ON authorization_grant.id = refresh_token.grant_id
     LEFT JOIN refresh_token successor ON successor.hash = refresh_token.successor
     WHERE refresh_token.hash = $1`,
    hash,
  );
  return row && refreshToken(row);
}

export interface RefreshRotation {
  readonly hash: Uint8Array;
  readonly clientId: string;
  readonly now: number;
  readonly successor: NewRefreshToken;
  readonly response: Uint8Array | undefined;
  readonly access: AccessTokenRecord | undefined;
  /** The old access token, which is extended instead of issuing a new one. */
  readonly extended: { readonly hash: Uint8Array; readonly expiresAt: number } | undefined;
  /** The expiry of the issued access token, even of a JWT. */
  readonly tokensUntil: number;
  /** As in `Minted`. */
  readonly signedBy?: SignedBy | undefined;
}

/** One statement decides which of several attempts is first. `lost` and `rekeyed` change nothing (see `redeemCode`). */
export function* rotateRefreshToken(rotation: RefreshRotation): Verb<'rotated' | 'lost' | 'rekeyed'> {
  if (rotation.signedBy !== undefined && !(yield* isStillTheirs(rotation.signedBy))) return 'rekeyed';
  const { successor, access, extended, now, tokensUntil } = rotation;
  // Either a later revocation of the grant includes the new token, or this verb finds the grant revoked.
  yield* holdGrant(successor.grantId);
  if (!(yield* takeRefreshToken(rotation))) return 'lost';
  yield* saveRefreshToken(successor);
  if (access !== undefined) yield* saveAccessToken(access);
  if (extended !== undefined) yield* extendAccessToken(extended.hash, extended.expiresAt, now);
  yield* noteUse({ id: successor.grantId, tokensUntil, now });
  return 'rotated';
}

function* takeRefreshToken({ hash, clientId, now, successor, response }: RefreshRotation): Verb<boolean> {
  return yield* changed(
    // Kept until the grant ends, so that a second use is always detected.
    `UPDATE refresh_token SET used_at = $3, successor = $4, response = $5,
       expires_at = (SELECT expires_at FROM authorization_grant WHERE id = refresh_token.grant_id)
     WHERE hash = $1 AND used_at IS NULL AND expires_at > $3 AND issued_at <= $3 + ${LONGEST_STEP} AND EXISTS (
       SELECT 1 FROM authorization_grant
       WHERE id = refresh_token.grant_id AND client_id = $2 AND revoked_at IS NULL AND expires_at > $3)
     RETURNING grant_id`,
    hash,
    clientId,
    now,
    successor.hash,
    response,
  );
}

export interface StolenFamily {
  readonly grantId: string;
  readonly subject: string;
  readonly now: number;
  /** See `PasswordChange`. */
  readonly keysUntil: number | undefined;
}

/** A refresh token was used twice (RFC 9700 §4.14.2). Its grant ends, and with `keysUntil` also every JWT of the user. */
export function* endStolenFamily({ grantId, subject, now, keysUntil }: StolenFamily): Verb<void> {
  const kids = keysUntil === undefined ? [] : yield* removeUserKeys(subject);
  yield* revokeGrant(grantId, now);
  yield* reportUserKeys(kids, keysUntil ?? now, now);
}

/** RFC 7009 §2.1: revokes the whole family, with its access tokens. */
export function* revokeRefreshToken({ hash, clientId, now }: TokenRevocation): Verb<Revocation> {
  const row = yield* first(
    `SELECT id, client_id FROM refresh_token JOIN authorization_grant ON id = grant_id WHERE hash = $1`,
    hash,
  );
  if (row === undefined) return 'unknown';
  if (row.client_id !== clientId) return 'other_client';
  yield* revokeGrant(text(row, 'id'), now);
  return 'revoked';
}

/** Saves the tokens of a grant without a code. `outdated`: the checked password is no longer the user's. */
export function* saveTokens(minted: Minted, premises: Premises = {}): Verb<'saved' | 'outdated' | 'rekeyed'> {
  if (!(yield* stillHold(premises, minted.grant.createdAt))) return 'outdated';
  if (minted.signedBy !== undefined && !(yield* isStillTheirs(minted.signedBy))) return 'rekeyed';
  yield* saveMinted(minted);
  return 'saved';
}

/** A new grant with its first tokens. */
export interface Minted {
  readonly grant: GrantRecord;
  /** Undefined for a JWT, which is not stored. */
  readonly access: AccessTokenRecord | undefined;
  readonly refresh: NewRefreshToken | undefined;
  /** The user's own key that signed the access token. It must still be current, or nothing is saved. */
  readonly signedBy?: SignedBy | undefined;
}

export function* saveMinted({ grant, access, refresh }: Minted): Verb<void> {
  yield* saveGrant(grant);
  if (access !== undefined) yield* saveAccessToken(access);
  if (refresh !== undefined) yield* saveRefreshToken(refresh);
}

function refreshToken(row: Row): RefreshTokenRecord {
  return {
    grant: grant(row),
    grantRevoked: flag(row, 'grant_revoked'),
    scope: text(row, 'token_scope'),
    audience: json(row, 'token_audience'),
    issuedAt: integer(row, 'token_issued_at'),
    expiresAt: integer(row, 'token_expires_at'),
    usedAt: integerOrNone(row, 'token_used_at'),
    response: bytesOrNone(row, 'response'),
    successorUsed: flag(row, 'successor_used'),
    carried: bytesOrNone(row, 'carried'),
  };
}
