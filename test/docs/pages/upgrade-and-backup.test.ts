import t from 'tap';
import { postgresServer, skipWithoutPostgres } from '../../support/postgres.ts';
import { follow, skipWithout } from './follow.ts';

/** Starts PostgreSQL: 13 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const skip = skipWithout('sqlite3', 'pg_dump', 'pg_restore', 'psql') || skipWithoutPostgres;

t.test('backup, drill, restore and refusal of a newer database work as the page says', { skip }, async (t) => {
  const server = await postgresServer(t);
  const database = `${await server.database()}?sslmode=disable`;
  const drill = `postgres://postgres@127.0.0.1:${server.port}/drill?sslmode=disable`;
  await follow(t, 'docs/upgrade-and-backup.md', {
    replaced: {
      'postgres://gatehouse@db.example.com/gatehouse?sslmode=verify-full': database,
      'postgres://gatehouse@db.example.com/drill?sslmode=verify-full': drill,
    },
  });
});
