import { all, changed, first, integer, integerOrNone, type Row, scopeTokens, text, type Verb } from '../engine/verb.ts';

/** A key of a client that knows no OAuth. Times are NumericDates, seconds. */
export interface ApiKeyRecord {
  /** Names the key where the key itself must not be shown. */
  readonly id: string;
  /** `sha256:` or `hmac:`, and 32 bytes in base64url. */
  readonly hash: string;
  readonly client: string;
  readonly scopes: readonly string[];
  /** From then on the key is refused. Undefined: never. */
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
}

/** Answers the ids of the keys that were added. A key of the same id or the same hash stays as it is. */
export function* addApiKeys(keys: readonly ApiKeyRecord[]): Verb<readonly string[]> {
  const added: string[] = [];
  for (const key of keys) if (yield* addApiKey(key)) added.push(key.id);
  return added;
}

function* addApiKey({ id, hash, client, scopes, expiresAt, createdAt }: ApiKeyRecord): Verb<boolean> {
  return yield* changed(
    `INSERT INTO api_key (id, hash, client, scope, expires_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
    id,
    hash,
    client,
    scopes.join(' '),
    expiresAt,
    createdAt,
  );
}

export interface ApiKeyRotation {
  /** From the replaced key. */
  readonly id: string;
  readonly made: Pick<ApiKeyRecord, 'id' | 'hash' | 'expiresAt'>;
  /** When the old key ends, unless it ends before by itself. */
  readonly oldUntil: number;
  readonly now: number;
}

/** Adds a key for the same client and scopes. Answers the new key; undefined where there is no key of this id. */
export function* rotateApiKey({ id, made, oldUntil, now }: ApiKeyRotation): Verb<ApiKeyRecord | undefined> {
  const row = yield* first(
    `UPDATE api_key SET expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END
     WHERE id = $1 RETURNING client, scope`,
    id,
    oldUntil,
  );
  if (row === undefined) return undefined;
  const key = { ...made, client: text(row, 'client'), scopes: scopeTokens(row, 'scope'), createdAt: now };
  yield* addApiKey(key);
  return key;
}

/** False where there is none. */
export function* removeApiKey(id: string): Verb<boolean> {
  return yield* changed('DELETE FROM api_key WHERE id = $1 RETURNING id', id);
}

/** By client, the oldest first. */
export function* listApiKeys(): Verb<readonly ApiKeyRecord[]> {
  return (yield* all('SELECT * FROM api_key ORDER BY client, created_at, id')).map(record);
}

/** The key with one of two hashes. Expired ones too: the caller says so. */
export function* findApiKey({ sha256, hmac = sha256 }: ApiKeyWanted): Verb<ApiKeyRecord | undefined> {
  const row = yield* first('SELECT * FROM api_key WHERE hash = $1 OR hash = $2 LIMIT 1', sha256, hmac);
  return row && record(row);
}

/** The hashes of one key, as `hash` of the record has them. */
export interface ApiKeyWanted {
  readonly sha256: string;
  /** Undefined where the gateway has no secret for keys that are kept by HMAC. */
  readonly hmac?: string | undefined;
}

function record(row: Row): ApiKeyRecord {
  return {
    id: text(row, 'id'),
    hash: text(row, 'hash'),
    client: text(row, 'client'),
    scopes: scopeTokens(row, 'scope'),
    expiresAt: integerOrNone(row, 'expires_at'),
    createdAt: integer(row, 'created_at'),
  };
}
