import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { buildSeal } from '../../../src/storage/engine/seal.ts';
import type { Row } from '../../../src/storage/engine/verb.ts';
import { migrations } from '../../../src/storage/migrations/index.ts';
import { postgresEngine } from '../../../src/storage/postgres/engine.ts';
import { migratePostgres } from '../../../src/storage/postgres/migrate.ts';
import { type PostgresSession, type Sessions, storable } from '../../../src/storage/postgres/sessions.ts';
import { buildRecords } from '../../../src/storage/records/records.ts';
import { recordsContract } from '../../contracts/records.ts';
import { deleteAll } from '../../support/postgres.ts';

/** Starts PostgreSQL: 16 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

// PostgreSQL in this process: the same statements and the same engine without an installed server. It has one
// connection, so records-postgres.test.ts tests conflicts between connections, and what pg sends.
const database = await PGlite.create();
t.teardown(() => database.close());
await migratePostgres(
  {
    script: async (sql) => void (await database.exec(sql)),
    rows: async (sql, parameters) => (await database.query<Row>(sql, [...parameters])).rows,
  },
  migrations,
  0,
);

const session: PostgresSession = {
  ask: async ({ sql, parameters }) => (await database.query<Row>(sql, parameters.map(storable))).rows,
  async control(command) {
    await database.exec(command);
    return command;
  },
};

/** A caller that gets the only connection has it alone. */
function oneSession(): Sessions {
  let free = Promise.resolve();
  return {
    async take() {
      const before = free;
      const { promise, resolve } = Promise.withResolvers<void>();
      free = promise;
      await before;
      return { session, done: () => resolve() };
    },
    close: () => free,
  };
}

recordsContract(t, 'pglite', {
  async open(t) {
    await database.exec(deleteAll);
    const records = buildRecords(postgresEngine(oneSession(), systemClock), buildSeal([new Uint8Array(32)]));
    t.teardown(() => records.close());
    return records;
  },
});
