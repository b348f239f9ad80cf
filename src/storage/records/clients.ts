import {
  all,
  bytes,
  bytesOrNone,
  changed,
  integer,
  integerOrNone,
  json,
  type Row,
  run,
  text,
  type Verb,
} from '../engine/verb.ts';
import { type RegistrationRecord, saveRegistration } from './client-registrations.ts';
import { LONGEST_LIFE, lastEnd, reportEach, reportEvent } from './events.ts';
import { ending } from './grants.ts';

/** A client that was registered by command or by itself, not in the file. */
export interface ClientRecord {
  readonly id: string;
  /** Names as in RFC 7591 §2. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Empty for a public client. At most two are valid at a time. */
  readonly secrets: readonly ClientSecretRecord[];
  readonly createdAt: number;
  /** Present if the client registered itself. */
  readonly registration?: RegistrationRecord;
}

export interface ClientSecretRecord {
  /** SHA-256 of the secret. */
  readonly hash: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

/** False if the id is taken, by another client or as the `sub` of a user (RFC 9068 §5). */
export function* addClient({ id, metadata, secrets, createdAt, registration }: ClientRecord): Verb<boolean> {
  const isNew = yield* changed(
    `INSERT INTO client (client_id, metadata, created_at)
     SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM account WHERE subject = $1)
       AND NOT EXISTS (SELECT 1 FROM file_user WHERE subject = $1)
     ON CONFLICT (client_id) DO NOTHING RETURNING client_id`,
    id,
    JSON.stringify(metadata),
    createdAt,
  );
  if (isNew) for (const secret of secrets) yield* saveSecret(id, secret);
  if (isNew && registration !== undefined) yield* saveRegistration(id, registration);
  return isNew;
}

function* saveSecret(id: string, { hash, createdAt, expiresAt }: ClientSecretRecord): Verb<void> {
  yield* run(
    'INSERT INTO client_secret (hash, client_id, created_at, expires_at) VALUES ($1, $2, $3, $4)',
    hash,
    id,
    createdAt,
    expiresAt,
  );
}

/** Includes the secrets that are valid at `now`. */
export function* findClient(id: string, now: number): Verb<ClientRecord | undefined> {
  const rows = yield* all(
    `SELECT client.client_id, metadata, client.created_at AS registered_at, token_hash, used_at,
       hash, secret.created_at AS created_at, expires_at
     FROM client LEFT JOIN client_registration AS registration ON registration.client_id = client.client_id
     LEFT JOIN client_secret AS secret
       ON secret.client_id = client.client_id AND (expires_at IS NULL OR expires_at > $2)
     WHERE client.client_id = $1 ${NEWEST_SECRET_FIRST}`,
    id,
    now,
  );
  const secrets = rows.filter(({ hash }) => hash !== null);
  return rows[0] && client({ ...rows[0], created_at: rows[0].registered_at }, secrets);
}

/** The clients that were registered by command. They are few. */
export function* listClients(now: number): Verb<readonly ClientRecord[]> {
  const rows = yield* all(
    `SELECT * FROM client WHERE NOT EXISTS
       (SELECT 1 FROM client_registration WHERE client_registration.client_id = client.client_id)
     ORDER BY created_at, client_id`,
  );
  return yield* withSecrets(rows, now);
}

/** The clients that registered themselves, the newest first. */
export function* listSelfRegistered(now: number, limit: number): Verb<readonly ClientRecord[]> {
  const rows = yield* all(
    `SELECT client.*, token_hash, used_at FROM client
     JOIN client_registration AS registration ON registration.client_id = client.client_id
     ORDER BY created_at DESC, client.client_id LIMIT $1`,
    limit,
  );
  return yield* withSecrets(rows, now);
}

function* withSecrets(rows: readonly Row[], now: number): Verb<readonly ClientRecord[]> {
  const live = yield* all(
    `SELECT * FROM client_secret WHERE expires_at IS NULL OR expires_at > $1 ${NEWEST_SECRET_FIRST}`,
    now,
  );
  const secrets = Map.groupBy(live, (secret) => text(secret, 'client_id'));
  return rows.map((row) => client(row, secrets.get(text(row, 'client_id')) ?? []));
}

/** If several secrets are from one second, the one that ends last comes first. */
const NEWEST_SECRET_FIRST =
  'ORDER BY created_at DESC, CASE WHEN expires_at IS NULL THEN 0 ELSE 1 END, expires_at DESC, hash';

function* liveSecrets(id: string, now: number): Verb<readonly Row[]> {
  return yield* all(
    `SELECT * FROM client_secret WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2) ${NEWEST_SECRET_FIRST}`,
    id,
    now,
  );
}

export interface SecretRotation {
  readonly id: string;
  readonly secret: ClientSecretRecord;
  /** The end of the newest secret so far. Older secrets end now. */
  readonly oldUntil: number;
  readonly now: number;
}

/** False for an unknown client, or a public client. */
export function* rotateClientSecret({ id, secret, oldUntil, now }: SecretRotation): Verb<boolean> {
  if (!(yield* holdClient(id))) return false;
  const [newest, ...older] = yield* liveSecrets(id, now);
  if (newest === undefined) return false;
  for (const row of older) yield* endSecret(row, now);
  yield* endSecret(newest, Math.min(oldUntil, integerOrNone(newest, 'expires_at') ?? oldUntil));
  yield* saveSecret(id, secret);
  return true;
}

/** Changes nothing, but takes the write lock. Of two rotations at once, the second sees the first one's result. */
function* holdClient(id: string): Verb<boolean> {
  return yield* changed('UPDATE client SET metadata = metadata WHERE client_id = $1 RETURNING client_id', id);
}

function* endSecret(row: Row, at: number): Verb<void> {
  yield* run('UPDATE client_secret SET expires_at = $2 WHERE hash = $1', bytes(row, 'hash'), at);
}

/** Removes only the registration, because another client has the same id: the grants stay. False for an unknown client. */
export function* unregisterClient(id: string): Verb<boolean> {
  if (!(yield* changed('DELETE FROM client WHERE client_id = $1 RETURNING client_id', id))) return false;
  yield* run('DELETE FROM client_secret WHERE client_id = $1', id);
  yield* run('DELETE FROM client_registration WHERE client_id = $1', id);
  return true;
}

/** Removes the client with all its grants; false for an unknown client. */
export function* removeClient(id: string, now: number, lifetime = LONGEST_LIFE): Verb<boolean> {
  if (!(yield* unregisterClient(id))) return false;
  yield* run('DELETE FROM consent WHERE client_id = $1', id);
  yield* revokeTokensInStore({ id, nbf: now + IN_FLIGHT, now, lifetime });
  return true;
}

/** Seconds after which a request that was authenticated before the removal has been answered. */
const IN_FLIGHT = 5;

export interface ClientRevocation {
  readonly id: string;
  /** NumericDate: tokens that were issued earlier end. */
  readonly nbf: number;
  readonly now: number;
  /** Seconds that the client's longest token lives. This covers JWTs that the client got for itself, which are not stored. */
  readonly lifetime: number;
}

/**
 * Ends everything that the client got before `nbf`, for users and for itself, including JWTs, which are not stored. A grant
 * that was used since then ends completely, and the feed reports its id.
 */
export function* revokeTokensInStore({ id, nbf, now, lifetime }: ClientRevocation): Verb<void> {
  yield* run('DELETE FROM authorization_code WHERE client_id = $1 AND used_at IS NULL AND issued_at < $2', id, nbf);
  yield* run('DELETE FROM session_key WHERE client_id = $1 AND issued_at < $2', id, nbf);
  const rows = yield* all(
    `UPDATE authorization_grant SET revoked_at = $2
     WHERE client_id = $1 AND created_at < $3 AND revoked_at IS NULL RETURNING id, tokens_until, used_at`,
    id,
    now,
    nbf,
  );
  yield* run(
    'UPDATE access_token SET revoked_at = $2 WHERE client_id = $1 AND issued_at < $3 AND revoked_at IS NULL',
    id,
    now,
    nbf,
  );
  yield* reportEvent('client_nbf', id, lastEnd(rows.map(ending), now + lifetime), now, nbf);
  const since = rows.filter((row) => integer(row, 'used_at') >= nbf);
  yield* reportEach('gid', since.map(ending), now);
}

function client(row: Row, secrets: readonly Row[]): ClientRecord {
  return {
    id: text(row, 'client_id'),
    metadata: json(row, 'metadata'),
    secrets: secrets.map((secret) => ({
      hash: bytes(secret, 'hash'),
      createdAt: integer(secret, 'created_at'),
      expiresAt: integerOrNone(secret, 'expires_at'),
    })),
    createdAt: integer(row, 'created_at'),
    ...registrationOf(row),
  };
}

function registrationOf(row: Row): Pick<ClientRecord, 'registration'> {
  const tokenHash = bytesOrNone(row, 'token_hash');
  return tokenHash === undefined ? {} : { registration: { tokenHash, usedAt: integer(row, 'used_at') } };
}
