import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { newUserKey } from '../src/authorization/keys/user-keys.ts';
import { systemClock } from '../src/base/clock.ts';
import { buildSeal } from '../src/storage/engine/seal.ts';
import { openRecords } from '../src/storage/open.ts';
import type { Records } from '../src/storage/records/records.ts';
import { userKeyRow } from '../src/storage/records/user-keys.ts';
import { authorizationYaml, encryptionKey } from './authorization-config.ts';
import type { Command } from './children.ts';
import { pinned } from './cores.ts';
import { folderOn } from './disk.ts';
import { makePostgres, postgresMissing, postgresUrl } from './postgres.ts';
import { freePorts } from './route-place.ts';

/** How many users have keys. The keys of the first are all cached after use; the keys of the others never are. */
export const COUNTS = [100, 20_000, 100_000] as const;

/** A service whose users already have keys. */
export interface KeyContender {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly users: number;
  readonly url: string;
  readonly database: Command | undefined;
  readonly service: Command;
  /**
   * Runs when the database is up: inserts every user and every key in bulk. Returns the bytes that a key takes there.
   */
  seed(rows: KeyRows): Promise<number>;
  open(): Promise<Records>;
}

export interface KeyPlace {
  readonly contenders: readonly KeyContender[];
  readonly absent: readonly string[];
  remove(): void;
}

export const subjectOf = (index: number) => `user-${String(index).padStart(6, '0')}`;

type Row = readonly (string | number | Uint8Array | null)[];

export interface KeyRows {
  readonly accounts: readonly Row[];
  readonly keys: readonly Row[];
}

const seal = buildSeal([Buffer.from(encryptionKey, 'base64')]);
const AT_ONCE = 500;

/** A real key pair for each user, sealed as the service does. */
export async function makeRows(count: number): Promise<KeyRows> {
  const createdAt = Math.floor(Date.now() / 1000);
  const keys: Row[] = [];
  while (keys.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - keys.length) }, (_, index) => keys.length + index);
    const made = await Promise.all(some.map((index) => newUserKey(subjectOf(index), 'ES256', createdAt)));
    keys.push(...made.map((key) => userKeyRow(seal, key)));
  }
  const accounts = keys.map(([subject]) => [subject as string, subject as string, 'x', 1, null, '{}', createdAt]);
  return { accounts, keys };
}

export async function prepareUserKeys(): Promise<KeyPlace> {
  const folder = folderOn('tmpfs') ?? folderOn('disk');
  if (folder === undefined) throw new Error('there is no place for a database');
  chmodSync(folder, 0o755);
  const missing = postgresMissing();
  const contenders: KeyContender[] = [];
  for (const users of COUNTS) contenders.push(await sqlite(folder, users));
  if (missing === undefined) for (const users of COUNTS) contenders.push(await postgres(folder, users));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { contenders, absent: missing === undefined ? [] : [missing], remove };
}

const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));
const KEYS = 'INSERT INTO user_key (subject, alg, kid, public_jwk, private_jwk, created_at)';
const ACCOUNTS = 'INSERT INTO account (subject, username, password_hash, password_version, name, claims, created_at)';

async function service(folder: string, storage: string) {
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'authorization.yaml');
  const jwt = 'grant_types: [authorization_code, refresh_token], access_token_format: jwt';
  const yaml = authorizationYaml({ port, storage }).replace('grant_types: [authorization_code, refresh_token]', jwt);
  writeFileSync(config, `${yaml}signing: { user_keys: true }\n`);
  const args = [launcher, 'authorization', '--config', config];
  const output = join(folder, 'service.log');
  return {
    url: `http://127.0.0.1:${port}`,
    service: pinned({ file: process.execPath, args, ports: [port], output }, 'contender'),
    open: () => openRecords(storage, { directory: folder, clock: systemClock, encryptionKeys: [encryptionKey] }),
  };
}

function subfolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return folder;
}

async function sqlite(parent: string, users: number): Promise<KeyContender> {
  const folder = subfolder(parent, `sqlite-${users}`);
  const file = join(folder, 'gatehouse.db');
  const made = await service(folder, `sqlite:${file}`);
  async function seed({ accounts, keys }: KeyRows) {
    await (await made.open()).close();
    const database = new DatabaseSync(file);
    const insert = (into: string, rows: readonly Row[]) => {
      const statement = database.prepare(`${into} VALUES (${(rows[0] ?? []).map(() => '?').join(', ')})`);
      database.exec('BEGIN');
      for (const row of rows) statement.run(...row);
      database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
      return statSync(file).size;
    };
    const before = insert(ACCOUNTS, accounts);
    const bytes = (insert(KEYS, keys) - before) / keys.length;
    database.close();
    return bytes;
  }
  return { engine: 'SQLite', users, database: undefined, ...made, seed };
}

/** Rows a statement. Each column is sent as one array. */
const ROWS = 5000;

async function postgres(parent: string, users: number): Promise<KeyContender> {
  const folder = subfolder(parent, `postgres-${users}`);
  const [port = 0] = await freePorts(1);
  const database = pinned(makePostgres(subfolder(folder, 'server'), port), 'database');
  const made = await service(folder, postgresUrl(port));
  async function seed({ accounts, keys }: KeyRows) {
    await (await made.open()).close();
    const client = new Client({ connectionString: postgresUrl(port) });
    await client.connect();
    const accountTypes = ['text', 'text', 'text', 'bigint', 'text', 'text', 'bigint'];
    await insertColumns(client, ACCOUNTS, accountTypes, accounts);
    await insertColumns(client, KEYS, ['text', 'text', 'text', 'text', 'bytea', 'bigint'], keys);
    await client.query('ANALYZE');
    const { rows } = await client.query("SELECT pg_total_relation_size('user_key') AS bytes");
    await client.end();
    return Number(rows[0].bytes) / keys.length;
  }
  return { engine: 'PostgreSQL', users, database, ...made, seed };
}

async function insertColumns(client: Client, into: string, types: readonly string[], rows: readonly Row[]) {
  const columns = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  for (let at = 0; at < rows.length; at += ROWS) {
    const some = rows.slice(at, at + ROWS);
    await client.query(
      `${into} SELECT * FROM unnest(${columns})`,
      types.map((_, index) => some.map((row) => row[index])),
    );
  }
}
