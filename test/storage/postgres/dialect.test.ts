import t from 'tap';
import { migrations } from '../../../src/storage/migrations/index.ts';
import { postgresDialect } from '../../../src/storage/postgres/dialect.ts';

t.test('types and options of SQLite become those of PostgreSQL', async (t) => {
  t.equal(
    postgresDialect('CREATE TABLE a (hash BLOB PRIMARY KEY, name TEXT NOT NULL, at INTEGER) STRICT, WITHOUT ROWID;'),
    'CREATE TABLE a (hash BYTEA PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, at BIGINT);',
  );
  t.equal(postgresDialect('CREATE TABLE a (id INTEGER) STRICT'), 'CREATE TABLE a (id BIGINT)');
  t.equal(postgresDialect('ALTER TABLE a ADD COLUMN b TEXT'), 'ALTER TABLE a ADD COLUMN b TEXT COLLATE "C"');
});

t.test('a migration keeps nothing that only SQLite knows', async (t) => {
  for (const { name, sql } of migrations)
    t.notMatch(postgresDialect(sql), /\b(STRICT|ROWID|BLOB|AUTOINCREMENT|PRAGMA)\b/, name);
});
