import { all, changed, run, text, type Verb } from '../engine/verb.ts';

/** A client that registered itself (RFC 7591). */
export interface RegistrationRecord {
  /** SHA-256 of the registration access token (RFC 7592 §3). */
  readonly tokenHash: Uint8Array;
  /** NumericDate: its last token, within a day, or its registration. */
  readonly usedAt: number;
}

export function* saveRegistration(id: string, { tokenHash, usedAt }: RegistrationRecord): Verb<void> {
  yield* run(
    'INSERT INTO client_registration (client_id, token_hash, used_at) VALUES ($1, $2, $3)',
    id,
    tokenHash,
    usedAt,
  );
}

export interface RegistrationChange {
  readonly id: string;
  readonly tokenHash: Uint8Array;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Replaces the metadata. False if the client or its token is gone. */
export function* changeRegistration({ id, tokenHash, metadata }: RegistrationChange): Verb<boolean> {
  return yield* changed(
    `UPDATE client SET metadata = $3 WHERE client_id = $1
       AND EXISTS (SELECT 1 FROM client_registration WHERE client_id = $1 AND token_hash = $2) RETURNING client_id`,
    id,
    tokenHash,
    JSON.stringify(metadata),
  );
}

/** Keeps the client from being removed as unused. */
export function* useRegistration(id: string, now: number): Verb<boolean> {
  return yield* changed(
    'UPDATE client_registration SET used_at = $2 WHERE client_id = $1 AND used_at < $2 RETURNING client_id',
    id,
    now,
  );
}

export interface Reaping {
  /** NumericDate: clients that were used later stay. */
  readonly unusedSince: number;
  readonly now: number;
  /** The most clients to remove. */
  readonly limit: number;
}

/** A client with a valid grant has a refresh token, even if the client has not used this token for a long time. */
const HAS_GRANT = `EXISTS (SELECT 1 FROM authorization_grant
  WHERE authorization_grant.client_id = client_registration.client_id AND revoked_at IS NULL AND expires_at > $2)`;

/** Removes unused clients. Returns their ids. */
export function* reapRegistrations({ unusedSince, now, limit }: Reaping): Verb<readonly string[]> {
  const rows = yield* all(
    // The use is checked again: a selected client may have been used meanwhile.
    `DELETE FROM client_registration WHERE used_at <= $1 AND client_id IN
       (SELECT client_id FROM client_registration WHERE used_at <= $1 AND NOT ${HAS_GRANT} ORDER BY used_at LIMIT $3)
     RETURNING client_id`,
    unusedSince,
    now,
    limit,
  );
  const ids = rows.map((row) => text(row, 'client_id'));
  for (const id of ids)
    for (const table of ['client', 'client_secret', 'consent'])
      yield* run(`DELETE FROM ${table} WHERE client_id = $1`, id);
  return ids;
}
