import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { type StorageEngine, storageEngines } from '../../src/storage/engines.ts';
import { openRecords } from '../../src/storage/open.ts';
import { openTokenFacts } from '../../src/storage/open-lookup.ts';
import { openUserFacts } from '../../src/storage/open-users.ts';
import { storeState } from '../../src/storage/store-state.ts';
import { basic, gateway, run, shop } from '../authorization/running-service.ts';
import { accessToken } from '../contracts/records/samples.ts';
import { recordsContract } from '../contracts/records.ts';
import { tokenFactsContract } from '../contracts/token-facts.ts';
import { userFactsContract } from '../contracts/user-facts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fileLogEngine } from './file-log/engine.ts';
import { openFileLog } from './file-log/open.ts';
import { readFileLog } from './file-log/read.ts';

/** Every write is synced to the disk, and the contract has thousands: 20 s on a busy machine. */
t.setTimeout(120_000);

/** Its row in the table. */
const fileLog: StorageEngine = {
  name: 'filelog',
  schemes: ['filelog'],
  pattern: 'filelog:',
  written: 'filelog:FILE, relative to this file',
  place: (location) => ({ kind: 'file', path: location }),
  title: 'the log',
  open: openFileLog,
  read: readFileLog,
  check: { journal: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'` },
};

const url = 'filelog:gatehouse.log';
const engines = [...storageEngines, fileLog];

async function opened(t: Test, directory = temporaryFolder(t)) {
  const options = { directory, clock: systemClock };
  const records = await openRecords(url, options, engines);
  t.teardown(() => records.close());
  return { records, options, file: join(directory, 'gatehouse.log') };
}

recordsContract(t, 'filelog', { open: async (t) => (await opened(t)).records });

tokenFactsContract(t, 'filelog', {
  async open(t) {
    const directory = temporaryFolder(t);
    const writer = fileLogEngine(join(directory, 'gatehouse.log'), 0);
    const facts = openTokenFacts(url, { directory, clock: systemClock }, engines);
    t.teardown(() => Promise.all([writer.close(), facts.close()]));
    return { writer, facts };
  },
});

userFactsContract(t, 'filelog', {
  async open(t) {
    const { records, options, file } = await opened(t);
    const facts = openUserFacts(url, options, engines);
    t.teardown(() => facts.close());
    return { records, facts, dump: async () => readFileSync(file, 'latin1') };
  },
});

t.test('one row is enough to see how far a store has been written', async (t) => {
  const { records, options } = await opened(t);
  t.match(await storeState(url, options, engines), { missing: 0, isEmpty: false, now: undefined });
  await records.close();
});

t.test(
  'a transaction that a crash cut off never happened, and everything that was answered is there again',
  async (t) => {
    const directory = temporaryFolder(t);
    const first = await opened(t, directory);
    const token = accessToken('a');
    await first.records.saveAccessToken(token);
    await first.records.close();
    appendFileSync(first.file, '[["DELETE FROM access_');
    const facts = openTokenFacts(url, first.options, engines);
    t.teardown(() => facts.close());
    t.ok(await facts.findAccessToken(token.hash, token.issuedAt));
  },
);

t.test('the authorization service runs on it: a token is issued, introspected and revoked', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords(url, { directory, clock: systemClock }, engines);
  const service = await run(t, { records, directory });
  const token = await service.token();
  t.match(await service.introspect(token, gateway), { active: true, client_id: shop.id });
  t.equal((await service.post('/oauth2/revoke', { token }, basic(shop))).status, 200);
  t.strictSame(await service.introspect(token, gateway), { active: false });
});

t.test('without its row the URL has no engine', async (t) => {
  const options = { directory: '/', clock: systemClock };
  await t.rejects(openRecords(url, options), { name: 'StorageUnusable', message: /no engine for filelog:/ });
});
