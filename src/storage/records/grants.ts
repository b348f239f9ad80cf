import {
  all,
  bytes,
  first,
  integer,
  integerOrNone,
  json,
  type Row,
  run,
  scopeTokens,
  text,
  textOrNone,
  type Verb,
} from '../engine/verb.ts';
import { endSessionKeysOf, holdSessionKeys } from './ended-session-keys.ts';
import { type Ending, reportEach, reportEvent } from './events.ts';
import { allowedScopes, type OpenidFacts, type OpenidOrigin, openidOrigin } from './openid-facts.ts';

/** One grant of a user. Its refresh tokens are a family, and all its tokens end with it. */
export interface GrantRecord extends OpenidOrigin {
  readonly id: string;
  readonly clientId: string;
  readonly subject: string;
  readonly username: string | undefined;
  /** The scope that the user granted. No refresh gets more. */
  readonly scope: string;
  readonly audience: readonly string[];
  readonly authTime: number | undefined;
  readonly createdAt: number;
  /** No refresh extends tokens beyond this time. */
  readonly expiresAt: number;
  /** The end of its last access token. */
  readonly tokensUntil: number;
}

export function* saveGrant(grant: GrantRecord): Verb<void> {
  yield* run(
    `INSERT INTO authorization_grant
       (id, client_id, subject, username, scope, audience, auth_time, created_at, expires_at, tokens_until, used_at,
        session_id, openid)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $8, $11, $12)`,
    grant.id,
    grant.clientId,
    grant.subject,
    grant.username,
    grant.scope,
    JSON.stringify(grant.audience),
    grant.authTime,
    grant.createdAt,
    grant.expiresAt,
    grant.tokensUntil,
    grant.sessionId,
    grant.openid && JSON.stringify(grant.openid),
  );
}

/** Locks the grant: its revocation waits until this transaction has ended. */
export function* holdGrant(id: string): Verb<void> {
  yield* run('UPDATE authorization_grant SET used_at = used_at WHERE id = $1', id);
}

export interface GrantUse {
  readonly id: string;
  readonly tokensUntil: number;
  readonly now: number;
}

export function* noteUse({ id, tokensUntil, now }: GrantUse): Verb<void> {
  yield* run(
    `UPDATE authorization_grant SET used_at = $2,
       tokens_until = CASE WHEN tokens_until > $3 THEN tokens_until ELSE $3 END WHERE id = $1`,
    id,
    now,
    tokensUntil,
  );
}

/** Revokes the grant and all its tokens; false if it was already revoked. */
export function* revokeGrant(id: string, now: number): Verb<boolean> {
  const row = yield* first(
    'UPDATE authorization_grant SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING tokens_until',
    id,
    now,
  );
  if (row !== undefined) yield* reportEvent('gid', id, integer(row, 'tokens_until'), now);
  return row !== undefined;
}

/** The user's agreement, which makes another question unnecessary. */
export interface Consent {
  readonly subject: string;
  readonly clientId: string;
  /** The whole scope. */
  readonly scope: string;
  readonly byGrant: ScopeByGrant;
  readonly grantedAt: number;
}

/** Grant type → the scope that the user granted on its pages. Consent for one grant type is not valid for another. */
export type ScopeByGrant = Readonly<Record<string, readonly string[]>>;

/** The user's answer to one page. */
export interface ConsentGiven {
  readonly subject: string;
  readonly clientId: string;
  /** The scopes on the page, and the ticked ones. An unticked scope is refused, even if it was granted before. */
  readonly asked: readonly string[];
  readonly granted: readonly string[];
  /** The grant type of the page; absent: `authorization_code`. */
  readonly grantType?: string | undefined;
  readonly grantedAt: number;
}

/**
 * A refused scope ends everything that has it: codes, session keys, and grants with all their tokens. Each ends completely,
 * because a JWT cannot be narrowed. The client gets the remaining scope by this page's answer. Codes come before grants, as in
 * `endEverything`: this waits for a running exchange of a code, and then finds the grant that the exchange made.
 */
export function* saveConsent(given: ConsentGiven): Verb<void> {
  yield* recordConsent(given);
  const refused = new Set(given.asked.filter((scope) => !given.granted.includes(scope)));
  if (refused.size > 0) yield* endRefused(given, refused);
}

function* recordConsent({ subject, clientId, asked, granted, ...page }: ConsentGiven): Verb<void> {
  const { grantType = 'authorization_code', grantedAt } = page;
  const row = yield* first(
    'UPDATE consent SET scope = scope WHERE subject = $1 AND client_id = $2 RETURNING scope, scope_by_grant',
    subject,
    clientId,
  );
  const isLeft = (scope: string) => granted.includes(scope) || !asked.includes(scope);
  const left = Object.entries(row === undefined ? {} : scopeByGrant(row)).map(
    ([grant, scopes]) => [grant, scopes.filter(isLeft)] as const,
  );
  const before = new Map(left);
  const byGrant = new Map(before).set(grantType, [...new Set([...(before.get(grantType) ?? []), ...granted])]);
  yield* run(
    `INSERT INTO consent (subject, client_id, scope, granted_at, scope_by_grant) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (subject, client_id) DO UPDATE SET scope = excluded.scope, scope_by_grant = excluded.scope_by_grant`,
    subject,
    clientId,
    [...new Set([...byGrant.values()].flat())].join(' '),
    grantedAt,
    JSON.stringify(Object.fromEntries(byGrant)),
  );
}

/** From a row with `scope` and `scope_by_grant`. */
export function scopeByGrant(row: Row): ScopeByGrant {
  return textOrNone(row, 'scope_by_grant') === undefined
    ? { authorization_code: scopeTokens(row, 'scope') }
    : json(row, 'scope_by_grant');
}

function* endRefused({ subject, clientId, grantedAt: now }: ConsentGiven, refused: ReadonlySet<string>): Verb<void> {
  const isTooMuch = (row: Row) => allowedScopes(row).some((scope) => refused.has(scope));
  const codes = yield* all(
    `UPDATE authorization_code SET failures = failures
     WHERE subject = $1 AND client_id = $2 AND used_at IS NULL RETURNING hash, scope, openid`,
    subject,
    clientId,
  );
  for (const row of codes.filter(isTooMuch))
    yield* run('DELETE FROM authorization_code WHERE hash = $1', bytes(row, 'hash'));
  const keys = yield* holdSessionKeys({ subject, clientId });
  const grants = yield* all(
    `UPDATE authorization_grant SET used_at = used_at
     WHERE subject = $1 AND client_id = $2 AND revoked_at IS NULL RETURNING id, scope, openid`,
    subject,
    clientId,
  );
  const endedKeys = yield* endSessionKeysOf(keys.filter(isTooMuch), now);
  for (const row of grants.filter(isTooMuch)) yield* revokeGrant(text(row, 'id'), now);
  yield* reportEach('token_hash', endedKeys, now);
}

export function* findConsent(subject: string, clientId: string): Verb<Consent | undefined> {
  const row = yield* first('SELECT * FROM consent WHERE subject = $1 AND client_id = $2', subject, clientId);
  return row && consent(row);
}

/** Ends all grants of this user, and reports each. Returns their number. */
export function* revokeGrantsOfSubject(subject: string, now: number): Verb<number> {
  const grants = yield* endGrantsOfSubject(subject, now);
  yield* reportEach('gid', grants, now);
  return grants.length;
}

/** The caller reports them. */
export function* endGrantsOfSubject(subject: string, now: number): Verb<readonly Ending[]> {
  const rows = yield* all(
    `UPDATE authorization_grant SET revoked_at = $2
     WHERE subject = $1 AND revoked_at IS NULL RETURNING id, tokens_until`,
    subject,
    now,
  );
  return rows.map(ending);
}

/** From a row with `id` and `tokens_until`. */
export function ending(row: Row): Ending {
  return { key: text(row, 'id'), until: integer(row, 'tokens_until') };
}

export function grant(row: Row): GrantRecord {
  return {
    id: text(row, 'id'),
    clientId: text(row, 'client_id'),
    subject: text(row, 'subject'),
    username: textOrNone(row, 'username'),
    scope: text(row, 'scope'),
    audience: json(row, 'audience'),
    authTime: integerOrNone(row, 'auth_time'),
    createdAt: integer(row, 'created_at'),
    expiresAt: integer(row, 'expires_at'),
    tokensUntil: integer(row, 'tokens_until'),
    ...(row.session_id !== null && openidOrigin(row)),
  };
}

/** OpenID Connect's facts of a live grant; undefined without any. */
export function* findOpenidFacts(grantId: string): Verb<OpenidFacts | undefined> {
  const row = yield* first(
    'SELECT session_id, openid FROM authorization_grant WHERE id = $1 AND revoked_at IS NULL',
    grantId,
  );
  return row && row.session_id !== null ? openidOrigin(row).openid : undefined;
}

function consent(row: Row): Consent {
  return {
    subject: text(row, 'subject'),
    clientId: text(row, 'client_id'),
    scope: text(row, 'scope'),
    byGrant: scopeByGrant(row),
    grantedAt: integer(row, 'granted_at'),
  };
}
