import { scopeTokens } from '../columns.ts';
import { changed, first, type Verb } from '../verb.ts';

/**
 * What was looked at before a decision, and must still be so when it is carried out. Each look is a write that changes
 * nothing: whoever would change the row, such as a new password, waits until this transaction has ended, and then finds
 * what it saved.
 */
export interface Premises {
  /** The password that was judged, of a user who is kept in the store. */
  readonly password?: { readonly subject: string; readonly version: number } | undefined;
  /** The browser in which the user is signed in: the hash of its session. */
  readonly session?: Uint8Array | undefined;
  /** What the user granted before, where nobody was asked now. */
  readonly consent?: { readonly subject: string; readonly clientId: string; readonly scope: string } | undefined;
}

export function* stillHold({ password, session, consent }: Premises, now: number): Verb<boolean> {
  if (password !== undefined && !(yield* isPassword(password))) return false;
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

function* isLive(session: Uint8Array, now: number): Verb<boolean> {
  return yield* changed(
    'UPDATE login_session SET expires_at = expires_at WHERE hash = $1 AND expires_at > $2 RETURNING id',
    session,
    now,
  );
}

function* isGranted({ subject, clientId, scope }: NonNullable<Premises['consent']>): Verb<boolean> {
  const row = yield* first(
    'UPDATE consent SET scope = scope WHERE subject = $1 AND client_id = $2 RETURNING scope',
    subject,
    clientId,
  );
  if (row === undefined) return false;
  const granted = scopeTokens(row, 'scope');
  return scope === '' || scope.split(' ').every((token) => granted.includes(token));
}
