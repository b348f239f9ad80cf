import {
  bytes,
  changed,
  first,
  flag,
  integer,
  integerOrNone,
  json,
  type Row,
  run,
  text,
  textOrNone,
  type Verb,
} from '../engine/verb.ts';
import { type ConsentGiven, revokeGrant, saveConsent } from './grants.ts';
import { type OneTime, useOnce } from './one-time.ts';
import { type OpenidOrigin, openidOrigin } from './openid-facts.ts';
import { type Premises, stillHold } from './preconditions.ts';
import { type Minted, saveMinted } from './refresh-tokens.ts';
import { isStillTheirs } from './user-keys.ts';

/** An authorization code (RFC 6749 §4.1.2), bound to all parameters of its request. */
export interface CodeRecord extends OpenidOrigin {
  /** SHA-256 of the code. */
  readonly hash: Uint8Array;
  /** A code for one exchange is not valid at the other. */
  readonly use: 'token' | 'session';
  readonly clientId: string;
  readonly subject: string;
  readonly username: string;
  readonly scope: string;
  readonly audience: readonly string[];
  readonly redirectUri: string | undefined;
  /**
   * True if the authorization request contained the redirect address. Then the exchange must contain it too (RFC 6749 §4.1.3).
   */
  readonly redirectUriSent: boolean;
  /** S256 (RFC 7636 §4.2). */
  readonly challenge: string | undefined;
  readonly authTime: number;
  /** The id of the grant that the exchange will create. */
  readonly grantId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface NewCode {
  readonly code: CodeRecord;
  readonly consent: ConsentGiven | undefined;
  /** The page that led to the code. It can be used once. Absent if no page was shown. */
  readonly transaction: OneTime | undefined;
}

/** `used`: the transaction was already used. `outdated`: its preconditions have changed. In both cases, nothing is saved. */
export type Saved = 'saved' | 'used' | 'outdated';

export function* saveCode({ code, consent, transaction }: NewCode, premises: Premises = {}): Verb<Saved> {
  if (!(yield* stillHold(premises, code.issuedAt))) return 'outdated';
  if (transaction !== undefined && !(yield* useOnce(transaction))) return 'used';
  if (consent !== undefined) yield* saveConsent(consent);
  yield* insertCode(code);
  return 'saved';
}

function* insertCode(code: CodeRecord): Verb<void> {
  yield* run(
    `INSERT INTO authorization_code
       (hash, for_use, client_id, subject, username, scope, audience, redirect_uri, redirect_uri_sent, challenge,
        auth_time, grant_id, issued_at, expires_at, keep_until, failures, session_id, openid)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, 0, $15, $16)`,
    code.hash,
    code.use,
    code.clientId,
    code.subject,
    code.username,
    code.scope,
    JSON.stringify(code.audience),
    code.redirectUri,
    Number(code.redirectUriSent),
    code.challenge,
    code.authTime,
    code.grantId,
    code.issuedAt,
    code.expiresAt,
    code.sessionId,
    code.openid && JSON.stringify(code.openid),
  );
}

/** Prepares an exchange. Only `redeemCode` decides. */
export function* findCode(hash: Uint8Array): Verb<CodeRecord | undefined> {
  const row = yield* first('SELECT * FROM authorization_code WHERE hash = $1', hash);
  return row && code(row);
}

/** Wrong attempts after which a code is invalid. */
const MOST_FAILURES = 5;

/**
 * Seconds by which the clock of the node that made a code may be fast. A code lives this long (RFC 6749 §4.1.2).
 */
const CODE_SKEW = 60;

/** The caller's proof when it redeems a code. */
export interface CodeClaim {
  readonly hash: Uint8Array;
  readonly use: CodeRecord['use'];
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  /** S256 of the `code_verifier`; undefined without one. */
  readonly challenge: string | undefined;
  readonly now: number;
}

/**
 * `replayed`: everything matches, but the code was used before. Its tokens are revoked (RFC 6749 §4.1.2). `wrong_client` and
 * `mismatch`: the code stays for its owner, and the fifth such failure burns it.
 */
export type CodeRefusal = 'replayed' | 'wrong_client' | 'mismatch' | 'unknown';

export type Redemption = 'redeemed' | CodeRefusal;

/** Uses the code and saves its grant in one transaction. `rekeyed`: nothing was read yet. */
export function* redeemCode(claim: CodeClaim, minted: Minted): Verb<Redemption | 'rekeyed'> {
  if (minted.signedBy !== undefined && !(yield* isStillTheirs(minted.signedBy))) return 'rekeyed';
  const redemption = yield* consumeCode(claim, keptUntil(minted.grant, claim.now));
  if (redemption !== 'redeemed') return redemption;
  yield* saveMinted(minted);
  return redemption;
}

/** Seconds. A session usually ends earlier. A used code of a longer session stays too, because `sweep` looks for the session. */
const USUAL_SESSION = 12 * 3600;

/** A used code of a session tells which client must learn that the session ended (see `makeNotices`). */
function keptUntil({ sessionId, expiresAt }: Minted['grant'], now: number): number {
  return sessionId === undefined ? expiresAt : Math.max(expiresAt, now + USUAL_SESSION);
}

/** `keepUntil`: the end of the tokens that the exchange issues. */
export function* consumeCode(claim: CodeClaim, keepUntil: number): Verb<Redemption> {
  return (yield* takeCode(claim, keepUntil)) ? 'redeemed' : yield* refuseCode(claim);
}

const BINDINGS = `for_use = $2 AND client_id = $3
  AND (redirect_uri = $4 OR (CAST($4 AS TEXT) IS NULL AND (redirect_uri_sent = 0 OR challenge IS NOT NULL)))
  AND coalesce(challenge, '') = $5`;

function bindings({ hash, use, clientId, redirectUri, challenge }: CodeClaim) {
  return [hash, use, clientId, redirectUri, challenge ?? ''] as const;
}

/** The only statement that decides. Of several attempts at once, only one finds the code unused. */
function* takeCode(claim: CodeClaim, keepUntil: number): Verb<boolean> {
  return yield* changed(
    `UPDATE authorization_code SET used_at = $6, keep_until = $7
     WHERE hash = $1 AND ${BINDINGS}
       AND used_at IS NULL AND failures < ${MOST_FAILURES} AND expires_at > $6 AND issued_at <= $6 + ${CODE_SKEW}
     RETURNING grant_id`,
    ...bindings(claim),
    claim.now,
    keepUntil,
  );
}

/** For a claim that must be refused, matching or not. The failure counts, and a valid code stays unused. */
export function* refuseCode(claim: CodeClaim): Verb<CodeRefusal> {
  const fitting = yield* first(
    `SELECT grant_id, used_at FROM authorization_code WHERE hash = $1 AND ${BINDINGS}`,
    ...bindings(claim),
  );
  if (fitting !== undefined) return yield* afterUse(fitting, claim.now);
  const row = yield* first(
    `UPDATE authorization_code SET failures = failures + 1
     WHERE hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING client_id`,
    claim.hash,
    claim.now,
  );
  if (row === undefined) return 'unknown';
  return row.client_id === claim.clientId ? 'mismatch' : 'wrong_client';
}

function* afterUse(row: Row, now: number): Verb<CodeRefusal> {
  if (integerOrNone(row, 'used_at') === undefined) return 'unknown';
  yield* revokeGrant(text(row, 'grant_id'), now);
  return 'replayed';
}

function code(row: Row): CodeRecord {
  return {
    hash: bytes(row, 'hash'),
    use: row.for_use as CodeRecord['use'],
    clientId: text(row, 'client_id'),
    subject: text(row, 'subject'),
    username: text(row, 'username'),
    scope: text(row, 'scope'),
    audience: json(row, 'audience'),
    redirectUri: textOrNone(row, 'redirect_uri'),
    redirectUriSent: flag(row, 'redirect_uri_sent'),
    challenge: textOrNone(row, 'challenge'),
    authTime: integer(row, 'auth_time'),
    grantId: text(row, 'grant_id'),
    issuedAt: integer(row, 'issued_at'),
    expiresAt: integer(row, 'expires_at'),
    ...(row.session_id !== null && openidOrigin(row)),
  };
}
