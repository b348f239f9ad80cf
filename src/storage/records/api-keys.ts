import { all, changed, first, integer, integerOrNone, type Row, scopeTokens, text, type Verb } from '../engine/verb.ts';

/** An API key of a client that does not use OAuth. Times are NumericDates, seconds. */
export interface ApiKeyRecord {
  /** Identifies the key in places that must not show the key itself. */
  readonly id: string;
  /** `sha256:` or `hmac:`, and 32 bytes in base64url. */
  readonly hash: string;
  readonly client: string;
  readonly scopes: readonly string[];
  /** The key is rejected from then on. Undefined: never. */
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
}

/** Returns the ids of the added keys. An existing key with the same id or hash stays unchanged. */
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
  /** The id of the replaced key. */
  readonly id: string;
  readonly made: Pick<ApiKeyRecord, 'id' | 'hash' | 'expiresAt'>;
  /** The end of the old key, unless the key expires earlier. */
  readonly oldUntil: number;
  readonly now: number;
}

/** Adds a key for the same client and scopes. Returns the new key; undefined if no key has this id. */
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

/** False: there is no such key. */
export function* removeApiKey(id: string): Verb<boolean> {
  return yield* changed('DELETE FROM api_key WHERE id = $1 RETURNING id', id);
}

/** By client, oldest first. */
export function* listApiKeys(): Verb<readonly ApiKeyRecord[]> {
  return (yield* all('SELECT * FROM api_key ORDER BY client, created_at, id')).map(record);
}

/** The key with one of two hashes. An expired key too: the caller reports this. */
export function* findApiKey({ sha256, hmac = sha256 }: ApiKeyWanted): Verb<ApiKeyRecord | undefined> {
  const row = yield* first('SELECT * FROM api_key WHERE hash = $1 OR hash = $2 LIMIT 1', sha256, hmac);
  return row && record(row);
}

/** The hashes of one key, in the form of the record's `hash`. */
export interface ApiKeyWanted {
  readonly sha256: string;
  /** Undefined if the gateway has no secret for HMAC. */
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
