import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import type { Migration } from '../../../src/storage/migrations/migration.ts';
import { migrate } from '../../../src/storage/sqlite/migrate.ts';

const one: Migration = { version: 1, name: 'one', sql: 'CREATE TABLE a (id INTEGER) STRICT' };
const two: Migration = { version: 2, name: 'two', sql: 'CREATE TABLE b (id INTEGER) STRICT; INSERT INTO b VALUES (1)' };
const tables = (database: DatabaseSync) =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name);

t.test('migrations are applied in order, each once', async (t) => {
  const database = new DatabaseSync(':memory:');
  migrate(database, [one], 1);
  migrate(database, [one, two], 2);
  migrate(database, [one, two], 3);
  t.strictSame(tables(database), ['a', 'b', 'migration']);
  t.equal(database.prepare('SELECT count(*) AS n FROM b').get()?.n, 1);
  t.strictSame(
    database
      .prepare('SELECT version, name, applied_at FROM migration')
      .all()
      .map((row) => Object.values(row)),
    [
      [1, 'one', 1],
      [2, 'two', 2],
    ],
  );
});

t.test('a database that is newer than the program is refused, and not changed', async (t) => {
  const database = new DatabaseSync(':memory:');
  migrate(database, [one, two], 1);
  t.throws(() => migrate(database, [one], 2), {
    name: 'StorageUnusable',
    message: /has version 2, and this program knows only 1/,
  });
  t.equal(database.isTransaction, false);
});

t.test('a migration that differs from the applied one is refused', async (t) => {
  const database = new DatabaseSync(':memory:');
  migrate(database, [one], 1);
  t.throws(() => migrate(database, [{ ...one, sql: `${one.sql} ` }], 2), {
    name: 'StorageUnusable',
    message: /migration 1/,
  });
});

t.test('a migration that fails leaves nothing behind, of itself and of those before it', async (t) => {
  const database = new DatabaseSync(':memory:');
  t.throws(() => migrate(database, [one, { ...two, sql: 'CREATE TABLE b (id INTEGER) STRICT; nonsense' }], 1));
  t.strictSame(tables(database), []);
});
