import { all, changed, flag, integer, integerOrNone, type Row, scopeTokens, text, type Verb } from '../engine/verb.ts';
import { endSessionKeys } from './ended-session-keys.ts';
import { reportEach } from './events.ts';
import { type Consent, ending } from './grants.ts';
import { noteSecurityEvent } from './security-events.ts';

/** An application that can act for the user, or that gets access without another question; with the time of its last token. */
export interface ConnectedApp extends Omit<Consent, 'byGrant'> {
  /** All rights of the application: from the consent, every valid grant and the session key. */
  readonly scope: string;
  /** The earliest time of these. */
  readonly grantedAt: number;
  readonly usedAt: number | undefined;
}

/** Includes all kinds of grants: a grant by password has no consent, but is valid too. */
export function* listConnectedApps(subject: string, now: number): Verb<readonly ConnectedApp[]> {
  const rows = yield* all(
    `SELECT client_id, scope, granted_at AS since, CAST(NULL AS INTEGER) AS used_at, 1 AS is_live
     FROM consent WHERE subject = $1
     UNION ALL
     SELECT client_id, scope, min(created_at), max(used_at),
       CASE WHEN revoked_at IS NULL AND expires_at > $2 THEN 1 ELSE 0 END
     FROM authorization_grant WHERE subject = $1 GROUP BY 1, 2, 5
     UNION ALL
     SELECT client_id, scope, issued_at, issued_at, 1 FROM session_key WHERE subject = $1 AND expires_at > $2`,
    subject,
    now,
  );
  const apps = [...Map.groupBy(rows, (row) => text(row, 'client_id')).entries()];
  return apps.flatMap(([clientId, known]) => connectedApp({ subject, clientId }, known)).toSorted(byTime);
}

function connectedApp(named: Pick<Consent, 'subject' | 'clientId'>, known: readonly Row[]): ConnectedApp[] {
  const live = known.filter((row) => flag(row, 'is_live'));
  if (live.length === 0) return [];
  const uses = known.flatMap((row) => integerOrNone(row, 'used_at') ?? []);
  return [
    {
      ...named,
      scope: [...new Set(live.flatMap((row) => scopeTokens(row, 'scope')))].join(' '),
      grantedAt: live.reduce((earliest, row) => Math.min(earliest, integer(row, 'since')), Number.POSITIVE_INFINITY),
      usedAt: uses.length === 0 ? undefined : uses.reduce((latest, at) => Math.max(latest, at)),
    },
  ];
}

function byTime(one: ConnectedApp, other: ConnectedApp): number {
  return one.grantedAt - other.grantedAt || (one.clientId < other.clientId ? -1 : 1);
}

export interface Disconnection {
  readonly subject: string;
  readonly clientId: string;
  readonly now: number;
}

/** Removes the consent and ends every grant. Returns the ids of the grants, or undefined if nothing was connected. */
export function* disconnectApp({ subject, clientId, now }: Disconnection): Verb<readonly string[] | undefined> {
  const had = [
    yield* changed('DELETE FROM consent WHERE subject = $1 AND client_id = $2 RETURNING client_id', subject, clientId),
    yield* changed(
      'DELETE FROM authorization_code WHERE subject = $1 AND client_id = $2 AND used_at IS NULL RETURNING client_id',
      subject,
      clientId,
    ),
  ];
  const keys = yield* endSessionKeys({ subject, clientId }, now);
  const rows = yield* all(
    `UPDATE authorization_grant SET revoked_at = $3
     WHERE subject = $1 AND client_id = $2 AND revoked_at IS NULL RETURNING id, tokens_until`,
    subject,
    clientId,
    now,
  );
  const grants = rows.map(ending);
  if (!had.includes(true) && keys.length === 0 && grants.length === 0) return undefined;
  yield* noteSecurityEvent({ event: 'session-revoked', subject, clientId }, now);
  yield* reportEach('gid', grants, now);
  yield* reportEach('token_hash', keys, now);
  return grants.map(({ key }) => key);
}
