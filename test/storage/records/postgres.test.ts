import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { recordsContract } from '../../contracts/records.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';

/** Opens a pool of connections for each test: 18 s. */
t.setTimeout(60_000);

const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
const server = skip === false ? await postgresServer(t) : undefined;
const url = (await server?.database()) ?? '';

recordsContract(t, 'postgres', {
  async open(t) {
    await server?.empty(url);
    const records = await openRecords(url, { directory: '/', clock: systemClock, encryptionKeys });
    t.teardown(() => records.close());
    return records;
  },
  skip,
});
