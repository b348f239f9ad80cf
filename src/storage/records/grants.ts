import { integer, integerOrNone, json, scopeTokens, text, textOrNone } from '../columns.ts';
import { all, first, type Row, run, type Verb } from '../verb.ts';
import { endSessionKeys } from './ended-session-keys.ts';
import { type Ending, report, reportEach } from './events.ts';

/** One act of authorization: its refresh tokens are a family, and everything that came of it ends with it. */
export interface GrantRecord {
  readonly id: string;
  readonly clientId: string;
  readonly subject: string;
  readonly username: string | undefined;
  /** What the user granted: the upper bound of every refresh. */
  readonly scope: string;
  readonly audience: readonly string[];
  readonly authTime: number | undefined;
  readonly createdAt: number;
  /** No refresh goes beyond it. */
  readonly expiresAt: number;
  /** When the last of its access tokens ends. */
  readonly tokensUntil: number;
}

export function* saveGrant(grant: GrantRecord): Verb<void> {
  yield* run(
    `INSERT INTO authorization_grant
       (id, client_id, subject, username, scope, audience, auth_time, created_at, expires_at, tokens_until, used_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $8)`,
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
  );
}

/** Whoever revokes the grant waits until this transaction has ended, or has ended before. */
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

/** Everything that came of it ends; false where that had happened before. */
export function* revokeGrant(id: string, now: number): Verb<boolean> {
  const row = yield* first(
    'UPDATE authorization_grant SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING tokens_until',
    id,
    now,
  );
  if (row !== undefined) yield* report('gid', id, integer(row, 'tokens_until'), now);
  return row !== undefined;
}

/** What the user has agreed to once and need not be asked again. */
export interface Consent {
  readonly subject: string;
  readonly clientId: string;
  readonly scope: string;
  readonly grantedAt: number;
}

/** One answer of the user to one page. */
export interface ConsentGiven {
  readonly subject: string;
  readonly clientId: string;
  /** The boxes of the page, and those that were ticked: one that was left empty is a No, whatever was granted before. */
  readonly asked: readonly string[];
  readonly granted: readonly string[];
  readonly grantedAt: number;
}

export function* saveConsent({ subject, clientId, asked, granted, grantedAt }: ConsentGiven): Verb<void> {
  const row = yield* first(
    'UPDATE consent SET scope = scope WHERE subject = $1 AND client_id = $2 RETURNING scope',
    subject,
    clientId,
  );
  const others = row === undefined ? [] : scopeTokens(row, 'scope').filter((scope) => !asked.includes(scope));
  yield* run(
    `INSERT INTO consent (subject, client_id, scope, granted_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (subject, client_id) DO UPDATE SET scope = excluded.scope`,
    subject,
    clientId,
    [...new Set([...others, ...granted])].join(' '),
    grantedAt,
  );
}

export function* findConsent(subject: string, clientId: string): Verb<Consent | undefined> {
  const row = yield* first('SELECT * FROM consent WHERE subject = $1 AND client_id = $2', subject, clientId);
  return row && consent(row);
}

/** An application that the user let in, and when it last got a token. */
export interface ConnectedApp extends Consent {
  readonly usedAt: number | undefined;
}

export function* listConnectedApps(subject: string): Verb<readonly ConnectedApp[]> {
  const rows = yield* all(
    `SELECT consent.*, (
       SELECT max(used_at) FROM authorization_grant
       WHERE authorization_grant.subject = consent.subject AND authorization_grant.client_id = consent.client_id
     ) AS used_at
     FROM consent WHERE subject = $1 ORDER BY granted_at, client_id`,
    subject,
  );
  return rows.map((row) => ({ ...consent(row), usedAt: integerOrNone(row, 'used_at') }));
}

export interface Disconnection {
  readonly subject: string;
  readonly clientId: string;
  readonly now: number;
}

/** Forgets the consent and ends every grant; answers with their ids. */
export function* disconnectApp({ subject, clientId, now }: Disconnection): Verb<readonly string[]> {
  yield* run('DELETE FROM consent WHERE subject = $1 AND client_id = $2', subject, clientId);
  yield* run(
    'DELETE FROM authorization_code WHERE subject = $1 AND client_id = $2 AND used_at IS NULL',
    subject,
    clientId,
  );
  const keys = yield* endSessionKeys({ subject, clientId }, now);
  const rows = yield* all(
    `UPDATE authorization_grant SET revoked_at = $3
     WHERE subject = $1 AND client_id = $2 AND revoked_at IS NULL RETURNING id, tokens_until`,
    subject,
    clientId,
    now,
  );
  const grants = rows.map(ending);
  yield* reportEach('gid', grants, now);
  yield* reportEach('token_hash', keys, now);
  return grants.map(({ key }) => key);
}

/** Ends whatever this user granted to anybody, and tells of it one by one; answers how many grants there were. */
export function* revokeGrantsOfSubject(subject: string, now: number): Verb<number> {
  const grants = yield* endGrantsOfSubject(subject, now);
  yield* reportEach('gid', grants, now);
  return grants.length;
}

/** Reported by whoever calls it. */
export function* endGrantsOfSubject(subject: string, now: number): Verb<readonly Ending[]> {
  const rows = yield* all(
    `UPDATE authorization_grant SET revoked_at = $2
     WHERE subject = $1 AND revoked_at IS NULL RETURNING id, tokens_until`,
    subject,
    now,
  );
  return rows.map(ending);
}

/** Of a row with `id` and `tokens_until`. */
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
  };
}

function consent(row: Row): Consent {
  return {
    subject: text(row, 'subject'),
    clientId: text(row, 'client_id'),
    scope: text(row, 'scope'),
    grantedAt: integer(row, 'granted_at'),
  };
}
