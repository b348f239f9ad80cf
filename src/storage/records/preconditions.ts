import { LONGEST_STEP } from '../../base/clock.ts';
import { changed, first, type Verb } from '../engine/verb.ts';
import { scopeByGrant } from './grants.ts';

/**
 * Conditions that were read before a decision, and must still be true when it is carried out. Each check is a write that
 * changes nothing, and so locks the row. A change of the row, such as a new password, waits until this transaction has ended,
 * and then finds what it saved.
 */
export interface Premises {
  /** The checked password of a user in the store. */
  readonly password?: { readonly subject: string; readonly version: number } | undefined;
  /** The checked password of a user in the file. `digest`: of the password in the file of the process that checked it. */
  readonly filePassword?: { readonly subject: string; readonly digest: Uint8Array } | undefined;
  /** The browser of the signed-in user: the hash of its session. */
  readonly session?: Uint8Array | undefined;
  /** The earlier consent, if no page was shown now. */
  readonly consent?: ReliedConsent | undefined;
}

export interface ReliedConsent {
  readonly subject: string;
  readonly clientId: string;
  readonly scope: string;
  /** The grant type of the page. */
  readonly grantType: string;
}

export function* stillHold({ password, filePassword, session, consent }: Premises, now: number): Verb<boolean> {
  if (password !== undefined && !(yield* isPassword(password))) return false;
  if (filePassword !== undefined && !(yield* isFilePassword(filePassword))) return false;
  if (session !== undefined && !(yield* isLive(session, now))) return false;
  return consent === undefined || (yield* isGranted(consent));
}

function* isPassword({ subject, version }: NonNullable<Premises['password']>): Verb<boolean> {
  return yield* changed(
    'UPDATE account SET password_version = password_version WHERE subject = $1 AND password_version = $2 RETURNING subject',
    subject,
    version,
  );
}

function* isFilePassword({ subject, digest }: NonNullable<Premises['filePassword']>): Verb<boolean> {
  return yield* changed(
    'UPDATE file_user SET subject = subject WHERE subject = $1 AND password_digest = $2 RETURNING subject',
    subject,
    digest,
  );
}

function* isLive(session: Uint8Array, now: number): Verb<boolean> {
  return yield* changed(
    `UPDATE login_session SET expires_at = expires_at
     WHERE hash = $1 AND expires_at > $2 AND authenticated_at <= $2 + ${LONGEST_STEP} RETURNING id`,
    session,
    now,
  );
}

function* isGranted({ subject, clientId, scope, grantType }: ReliedConsent): Verb<boolean> {
  const row = yield* first(
    'UPDATE consent SET scope = scope WHERE subject = $1 AND client_id = $2 RETURNING scope, scope_by_grant',
    subject,
    clientId,
  );
  if (row === undefined) return false;
  const granted = scopeByGrant(row)[grantType];
  if (granted === undefined) return false;
  return scope === '' || scope.split(' ').every((token) => granted.includes(token));
}
