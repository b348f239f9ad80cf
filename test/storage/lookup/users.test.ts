import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { openUserFacts } from '../../../src/storage/open-users.ts';
import { userFactsContract } from '../../contracts/user-facts.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const url = 'sqlite:gatehouse.db';
const keys = [Buffer.alloc(32, 7).toString('base64')];

async function sqlite(t: Test, encryptionKeys?: readonly string[]) {
  const directory = temporaryFolder(t);
  const options = { directory, clock: systemClock, encryptionKeys };
  const records = await openRecords(url, options);
  t.teardown(() => records.close());
  return { records, options, file: join(directory, 'gatehouse.db') };
}

function reader(t: Test, options: Parameters<typeof openUserFacts>[1], location = url) {
  const facts = openUserFacts(location, options);
  t.teardown(() => facts.close());
  return facts;
}

userFactsContract(t, 'sqlite', {
  async open(t) {
    const { records, options, file } = await sqlite(t);
    const dump = async () => ['', '-wal'].map((end) => readFileSync(file + end, 'latin1')).join('');
    return { records, facts: reader(t, options), dump };
  },
});

const server = skip === false ? await postgresServer(t) : undefined;
const database = (await server?.database()) ?? '';

userFactsContract(t, 'postgres', {
  async open(t) {
    await server?.empty(database);
    const options = { directory: '/', clock: systemClock, encryptionKeys: keys };
    const records = await openRecords(database, options);
    t.teardown(() => records.close());
    const dump = async () => JSON.stringify(await server?.ask('SELECT d::text FROM digest_user d', database));
    return { records, facts: reader(t, options, database), dump };
  },
  skip,
});

const wanted = { realm: 'r', algorithm: 'MD5', name: 'alice', isHashed: false };
const alice = {
  realm: 'r',
  username: 'alice',
  changedAt: 1,
  hashes: [{ algorithm: 'MD5', ha1: '0'.repeat(32), userhash: '' }],
};

t.test('without the keys a known and an unknown user are the same outage', async (t) => {
  const { records, options, file } = await sqlite(t);
  await records.setDigestUser(alice);
  renameSync(`${file}.key`, `${file}.away`);
  const facts = reader(t, options);
  for (const name of ['alice', 'eve'])
    await t.rejects(facts.findDigest({ ...wanted, name }), { name: 'StorageUnavailable', message: /cannot be read/ });
  await facts.ping('basic');
  renameSync(`${file}.away`, `${file}.key`);
  t.match(await facts.findDigest(wanted), { username: 'alice' }, 'and they are looked for again');
  const other = reader(t, { ...options, encryptionKeys: keys });
  await t.rejects(other.findDigest(wanted), { name: 'StorageUnavailable', message: /no encryption key opens/ });
});

t.test('a key file that everyone may read opens nothing', { skip: process.platform === 'win32' }, async (t) => {
  const { options, file } = await sqlite(t);
  chmodSync(`${file}.key`, 0o644);
  await t.rejects(reader(t, options).ping('digest'), {
    name: 'StorageUnavailable',
    message: /other users of this machine/,
  });
});

t.test('a key file that is not accessible at all is an outage', { skip: process.platform === 'win32' }, async (t) => {
  const { options, file } = await sqlite(t);
  rmSync(`${file}.key`);
  symlinkSync(`${file}.key`, `${file}.key`);
  await t.rejects(reader(t, options).ping('digest'), { name: 'StorageUnavailable', message: /cannot be read/ });
});

t.test('an HA1 that was moved to another user does not open', async (t) => {
  const { records, options, file } = await sqlite(t);
  await records.setDigestUser(alice);
  const stolen = new DatabaseSync(file, { timeout: 5_000 });
  stolen.exec("UPDATE digest_user SET username = 'mallory', userhash = 'x'");
  stolen.close();
  const facts = reader(t, options);
  await t.rejects(facts.findDigest({ ...wanted, name: 'mallory' }), { name: 'StorageUnavailable', message: /damaged/ });
});

t.test('a database of a version before these tables is an outage', async (t) => {
  const { options, file } = await sqlite(t);
  const older = new DatabaseSync(file, { timeout: 5_000 });
  older.exec('DROP TABLE digest_user; DROP TABLE imported_password');
  older.close();
  const facts = reader(t, options);
  await t.rejects(facts.ping('digest'), { name: 'StorageUnavailable', message: /digest_user/ });
  await t.rejects(facts.ping('basic'), { name: 'StorageUnavailable', message: /imported_password/ });
});
