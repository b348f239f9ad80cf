import { cpSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import type { WritableEngine } from '../../../src/storage/engine/engine.ts';
import { migrations } from '../../../src/storage/migrations/index.ts';
import { openTokenFacts } from '../../../src/storage/open-lookup.ts';
import { saveAccessToken } from '../../../src/storage/records/access-tokens.ts';
import { sqliteEngine } from '../../../src/storage/sqlite/engine.ts';
import { buildGroupCommit } from '../../../src/storage/sqlite/group-commit.ts';
import { migrate } from '../../../src/storage/sqlite/migrate.ts';
import { accessToken, tokenFactsContract } from '../../contracts/token-facts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const now = 1_800_000_000;
const hash = sha256('a');

/** As the authorization service leaves it. */
function writer(t: Test, file: string): WritableEngine {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  migrate(database, migrations, now);
  const engine = sqliteEngine(database, buildGroupCommit(database, { clock: systemClock, busyDeadline: 1000 }));
  t.teardown(() => engine.close());
  return engine;
}

function reader(t: Test, directory: string) {
  const facts = openTokenFacts('sqlite:gatehouse.db', { directory, clock: systemClock });
  t.teardown(() => facts.close());
  return facts;
}

tokenFactsContract(t, 'sqlite', {
  async open(t) {
    const directory = temporaryFolder(t);
    return { writer: writer(t, join(directory, 'gatehouse.db')), facts: reader(t, directory) };
  },
});

const out = (message: RegExp) => ({ name: 'StorageUnavailable', message });

t.test('sqlite: a database that is created later is then read, and the reader creates none', async (t) => {
  const directory = temporaryFolder(t);
  const facts = reader(t, directory);
  await t.rejects(facts.ping(), out(/there is no database .*gatehouse\.db/));
  t.strictSame(readdirSync(directory), []);
  const service = writer(t, join(directory, 'gatehouse.db'));
  await service.write(() => saveAccessToken(accessToken('a')));
  t.ok(await facts.findAccessToken(hash, now));
});

t.test('sqlite: a database that is moved away is an outage, and one that replaces it is read', async (t) => {
  const directory = temporaryFolder(t);
  const [file, away] = [join(directory, 'gatehouse.db'), join(directory, 'away.db')];
  const service = writer(t, file);
  await service.write(() => saveAccessToken(accessToken('a')));
  await service.close();
  const facts = reader(t, directory);
  t.ok(await facts.findAccessToken(hash, now));
  renameSync(file, away);
  await t.rejects(facts.findAccessToken(hash, now), out(/there is no database/));
  writer(t, file);
  t.equal(await facts.findAccessToken(hash, now), undefined, 'the new one does not know the token');
  cpSync(away, join(directory, 'copy.db'));
  renameSync(join(directory, 'copy.db'), file);
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  t.ok(await facts.findAccessToken(hash, now), 'restored from a copy');
});

const unreadable: Readonly<Record<string, { make(file: string): void; why: RegExp }>> = {
  'that is empty': { make: (file) => writeFileSync(file, ''), why: /no such table/ },
  'that is no database': { make: (file) => writeFileSync(file, 'x'.repeat(5000)), why: /not a database/ },
  'of another program': {
    make: (file) => new DatabaseSync(file).exec('CREATE TABLE migration (version); CREATE TABLE access_token (hash)'),
    why: /no such (table|column)/,
  },
  'that was never migrated to this version': {
    make: (file) => migrate(new DatabaseSync(file), migrations.slice(0, 1), now),
    why: /no such (table|column)/,
  },
};

for (const [title, { make, why }] of Object.entries(unreadable)) {
  t.test(`sqlite: a file ${title} is an outage, is not changed, and is tried again`, async (t) => {
    const directory = temporaryFolder(t);
    const file = join(directory, 'gatehouse.db');
    make(file);
    const { size, mtimeMs } = statSync(file);
    const facts = reader(t, directory);
    await t.rejects(facts.ping(), out(why));
    await t.rejects(facts.findAccessToken(hash, now), out(why));
    await t.rejects(facts.isJwtDenied({ jti: 'j', now }), out(why));
    t.match(statSync(file), { size, mtimeMs });
    rmSync(file);
    writer(t, file);
    await facts.ping();
  });
}

t.test('sqlite: a short lock is awaited, a long one is an outage', async (t) => {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gatehouse.db');
  await writer(t, file).close();
  const other = new DatabaseSync(file);
  t.teardown(() => other.close());
  other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  const facts = reader(t, directory);
  setTimeout(() => other.exec('COMMIT'), 100);
  await facts.ping();
  other.exec('BEGIN EXCLUSIVE');
  await t.rejects(facts.ping(), out(/locked/));
  other.exec('COMMIT');
  await facts.ping();
});

t.test('sqlite: a lock closes the database for no reader, and a broken one is opened again', async (t) => {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gatehouse.db');
  await writer(t, file).close();
  const other = new DatabaseSync(file);
  t.teardown(() => other.close());
  other.exec('PRAGMA journal_mode = DELETE');
  const facts = reader(t, directory);
  await facts.ping();
  const closed = t.capture(DatabaseSync.prototype, 'close', DatabaseSync.prototype.close);
  other.exec('BEGIN EXCLUSIVE');
  setTimeout(() => other.exec('COMMIT'), 100);
  await Promise.all([facts.ping(), facts.findAccessToken(hash, now), facts.isJwtDenied({ jti: 'j', now })]);
  t.equal(closed().length, 0);
  other.exec('ALTER TABLE denied_jwt RENAME TO elsewhere');
  await t.rejects(facts.ping(), out(/no such table/));
  t.equal(closed().length, 1);
});

t.test('sqlite: a reader leaves nothing that a stopped service must clean up before it starts again', async (t) => {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gatehouse.db');
  const service = writer(t, file);
  const facts = reader(t, directory);
  await service.write(() => saveAccessToken(accessToken('a')));
  t.ok(await facts.findAccessToken(hash, now));
  await service.close();
  t.ok(await facts.findAccessToken(hash, now), 'while nobody writes');
  const again = writer(t, file);
  await again.write(() => saveAccessToken(accessToken('b')));
  t.ok(await facts.findAccessToken(sha256('b'), now));
});

t.test('a storage URL without a reader is an error at start', async (t) => {
  for (const url of ['mysql:x', 'constructor:x', 'x', ':'])
    t.throws(() => openTokenFacts(url, { directory: '/', clock: systemClock }), {
      name: 'StorageUnusable',
      message: /no engine/,
    });
});
