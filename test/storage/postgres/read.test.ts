import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { openTokenFacts } from '../../../src/storage/open-lookup.ts';
import { postgresEngine } from '../../../src/storage/postgres/engine.ts';
import { poolSessions } from '../../../src/storage/postgres/sessions.ts';
import { postgresAddress } from '../../../src/storage/postgres/url.ts';
import { tokenFactsContract } from '../../contracts/token-facts.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';

const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
const options = { directory: '/', clock: systemClock, encryptionKeys };
const server = skip === false ? await postgresServer(t) : undefined;
const newDatabase = async () => (await server?.database()) ?? '';
const migrated = await (async () => {
  const url = await newDatabase();
  if (server !== undefined) await (await openRecords(url, options)).close();
  return url;
})();

tokenFactsContract(t, 'postgres', {
  async open(t) {
    await server?.empty(migrated);
    const { client } = postgresAddress(migrated.slice('postgres:'.length), '/');
    const writer = postgresEngine(poolSessions(client), systemClock);
    const facts = openTokenFacts(migrated, options);
    t.teardown(() => Promise.all([writer.close(), facts.close()]));
    return { writer, facts };
  },
  skip,
});

t.test('postgres: a database of another program is an outage until it is one of ours', { skip }, async (t) => {
  const url = await newDatabase();
  const facts = openTokenFacts(url, options);
  t.teardown(() => facts.close());
  await t.rejects(facts.ping(), { name: 'StorageUnavailable', message: /relation "migration" does not exist/ });
  await (await openRecords(url, options)).close();
  await facts.ping();
});

t.test('postgres: a role that may only read is enough', { skip }, async (t) => {
  await server?.ask('CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader', migrated);
  const facts = openTokenFacts(migrated.replace('postgres@', 'reader@'), options);
  t.teardown(() => facts.close());
  await facts.ping();
});
