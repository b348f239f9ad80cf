import { Client, type ClientConfig } from 'pg';
import { seconds } from '../../base/clock.ts';
import { decodeKeys } from '../engine/encryption-keys.ts';
import { StorageUnusable, unusable } from '../engine/errors.ts';
import type { OpenOptions } from '../engine/open-options.ts';
import { buildSeal } from '../engine/seal.ts';
import { migrations } from '../migrations/index.ts';
import { buildRecords, type Records } from '../records/records.ts';
import { postgresEngine } from './engine.ts';
import { migratePostgres } from './migrate.ts';
import { poolSessions } from './sessions.ts';
import { postgresAddress } from './url.ts';
import { listenToPostgres } from './watch.ts';

/**
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, or `postgresql:`. The encryption keys are not stored in the database that they
 * protect.
 */
export async function openPostgres(location: string, options: OpenOptions): Promise<Records> {
  const { client, shown } = postgresAddress(location, options.directory);
  const keys = decodeKeys(options.encryptionKeys);
  if (keys === undefined)
    throw new StorageUnusable(
      'storage: PostgreSQL needs encryption_keys: make a key with `openssl rand -base64 32`, keep it outside the database, and add it to encryption_keys',
    );
  try {
    await prepareDatabase(client, seconds(options.clock));
  } catch (error) {
    throw unusable(shown, error);
  }
  return buildRecords(postgresEngine(poolSessions(client), options.clock, listenToPostgres(client)), buildSeal(keys));
}

/** Milliseconds: a starting process waits for another process that migrates the database. */
const waits = { connectionTimeoutMillis: 5000, lock_timeout: 60_000, statement_timeout: 600_000 } as const;

async function prepareDatabase(config: ClientConfig, now: number): Promise<void> {
  const client = new Client({ ...config, ...waits, keepAlive: true });
  // The running statement reports a lost connection.
  client.on('error', () => {});
  try {
    await client.connect();
    const link = {
      script: async (sql: string) => void (await client.query(sql)),
      rows: async (sql: string, parameters: readonly unknown[]) => (await client.query(sql, [...parameters])).rows,
    };
    await migratePostgres(link, migrations, now);
  } finally {
    await client.end();
  }
}
