import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { GroupCommit } from './group-commit.ts';
import type { AccessTokenRecord, NewSigningKey, Records, Revocation, SigningKeyRecord } from './records.ts';
import type { Seal } from './seal.ts';
import { storageError } from './sqlite-errors.ts';

type Row = Record<string, SQLOutputValue>;

/** Records in SQLite: one statement a verb; writes go through the group commit, reads see what is committed. */
export function sqliteRecords(database: DatabaseSync, group: GroupCommit, seal: Seal): Records {
  const sql = prepare(database);
  let closed = false;
  return {
    saveAccessToken: (token) => group.write(() => void sql.saveAccessToken.run(accessTokenRow(token))),
    findAccessToken: (hash, now) => read(() => accessToken(sql.findAccessToken.get(hash, now))),
    revokeAccessToken: ({ hash, clientId, now }) =>
      group.write(() => revocation(sql.revokeAccessToken.get({ hash, clientId, now }), clientId)),
    denyJwt: (jti, until) => group.write(() => void sql.denyJwt.run(jti, until)),
    isJwtDenied: (jti, now) => read(() => sql.isJwtDenied.get(jti, now) !== undefined),
    adoptSigningKey: (candidate) =>
      group.write(() => {
        sql.adoptSigningKey.run(signingKeyRow(candidate, seal));
        return signingKey(sql.currentSigningKey.get(candidate.alg) as Row, seal);
      }),
    listSigningKeys: () => read(() => sql.listSigningKeys.all().map((row) => signingKey(row, seal))),
    sweep: (now, limit) =>
      group.write(() => sql.sweeps.reduce((count, sweep) => count + Number(sweep.run(now, limit).changes), 0)),
    ping: (now) => group.write(() => void sql.beat.run(now)),
    async close() {
      if (closed) return;
      closed = true;
      await group.drain();
      database.close();
    },
  };
}

function prepare(database: DatabaseSync) {
  return {
    saveAccessToken: database.prepare(
      `INSERT INTO access_token (hash, client_id, subject, scope, audience, issued_at, expires_at)
       VALUES (:hash, :clientId, :subject, :scope, :audience, :issuedAt, :expiresAt)`,
    ),
    findAccessToken: database.prepare(
      'SELECT * FROM access_token WHERE hash = ? AND expires_at > ? AND revoked_at IS NULL',
    ),
    revokeAccessToken: database.prepare(
      `UPDATE access_token SET revoked_at = CASE WHEN client_id = :clientId THEN coalesce(revoked_at, :now) ELSE revoked_at END
       WHERE hash = :hash RETURNING client_id`,
    ),
    denyJwt: database.prepare(
      'INSERT INTO denied_jwt (jti, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = max(until, excluded.until)',
    ),
    isJwtDenied: database.prepare('SELECT 1 FROM denied_jwt WHERE jti = ? AND until > ?'),
    adoptSigningKey: database.prepare(
      `INSERT OR IGNORE INTO signing_key (kid, alg, status, public_jwk, private_key, created_at)
       VALUES (:kid, :alg, 'current', :publicJwk, :privateKey, :createdAt)`,
    ),
    currentSigningKey: database.prepare("SELECT * FROM signing_key WHERE alg = ? AND status = 'current'"),
    listSigningKeys: database.prepare('SELECT * FROM signing_key ORDER BY created_at, kid'),
    sweeps: [
      database.prepare(
        'DELETE FROM access_token WHERE hash IN (SELECT hash FROM access_token WHERE expires_at <= ? LIMIT ?)',
      ),
      database.prepare('DELETE FROM denied_jwt WHERE jti IN (SELECT jti FROM denied_jwt WHERE until <= ? LIMIT ?)'),
    ],
    beat: database.prepare('INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at'),
  };
}

async function read<Result>(run: () => Result): Promise<Result> {
  try {
    return run();
  } catch (error) {
    throw storageError(error);
  }
}

function accessTokenRow({ audience, ...token }: AccessTokenRecord) {
  return { ...token, audience: JSON.stringify(audience) };
}

function accessToken(row: Row | undefined): AccessTokenRecord | undefined {
  if (row === undefined) return undefined;
  return {
    hash: row.hash as Uint8Array,
    clientId: String(row.client_id),
    subject: String(row.subject),
    scope: String(row.scope),
    audience: JSON.parse(String(row.audience)),
    issuedAt: Number(row.issued_at),
    expiresAt: Number(row.expires_at),
  };
}

function revocation(row: Row | undefined, clientId: string): Revocation {
  if (row === undefined) return 'unknown';
  return row.client_id === clientId ? 'revoked' : 'other_client';
}

function signingKeyRow({ kid, alg, publicJwk, privateKey, createdAt }: NewSigningKey, seal: Seal) {
  return { kid, alg, publicJwk: JSON.stringify(publicJwk), privateKey: seal.seal(privateKey, purpose(kid)), createdAt };
}

function signingKey(row: Row, seal: Seal): SigningKeyRecord {
  const kid = String(row.kid);
  return {
    kid,
    alg: String(row.alg),
    status: row.status as SigningKeyRecord['status'],
    publicJwk: JSON.parse(String(row.public_jwk)),
    privateKey: seal.open(row.private_key as Uint8Array, purpose(kid)),
    createdAt: Number(row.created_at),
  };
}

function purpose(kid: string): string {
  return `signing key ${kid}`;
}
