import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const url = 'sqlite:data/gatehouse.db';
const key = { kid: 'k', alg: 'ES256', publicJwk: {}, privateKey: Buffer.from('private'), createdAt: 1 };

function place(t: Test) {
  const directory = temporaryFolder(t);
  return { directory, clock: systemClock, file: join(directory, 'data/gatehouse.db') };
}

t.test(
  'the database, its side files and the key file are readable by their owner only',
  { skip: process.platform === 'win32' && 'Windows has no file modes' },
  async (t) => {
    const { file, ...options } = place(t);
    const umask = process.umask(0);
    t.teardown(() => process.umask(umask));
    const records = await openRecords(url, options);
    await records.ping(1);
    for (const suffix of ['', '-wal', '-shm', '.key'])
      t.equal(statSync(file + suffix).mode & 0o777, 0o600, `database${suffix}`);
    await records.close();
  },
);

t.test('every connection of the store has `synchronous` at FULL while it runs', async (t) => {
  const { file: _, ...options } = place(t);
  const held = new Set<DatabaseSync>();
  const { exec } = DatabaseSync.prototype;
  // the setting belongs to the connection, and only the connection can report it
  DatabaseSync.prototype.exec = function (sql) {
    held.add(this);
    return exec.call(this, sql);
  };
  t.teardown(() => {
    DatabaseSync.prototype.exec = exec;
  });
  const records = await openRecords(url, options);
  await records.ping(1);
  t.ok(held.size > 0);
  for (const database of held)
    if (database.isOpen) t.strictSame({ ...database.prepare('PRAGMA synchronous').get() }, { synchronous: 2 });
  await records.close();
});

t.test('the database runs in WAL mode, every commit is synced, and tables are strict', async (t) => {
  const { file, ...options } = place(t);
  const records = await openRecords(url, options);
  await records.close();
  const database = new DatabaseSync(file);
  t.teardown(() => database.close());
  t.equal(database.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
  const loose = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND strict = 0")
    .all();
  t.strictSame(loose, []);
});

t.test('many processes may open a new database at once', async (t) => {
  const { file, ...options } = place(t);
  const opened = await Promise.all(Array.from({ length: 10 }, () => openRecords(url, options)));
  const adopted = await Promise.all(
    opened.map((records, index) => records.adoptSigningKey({ ...key, kid: `k${index}` })),
  );
  t.equal(new Set(adopted.map(({ kid }) => kid)).size, 1);
  for (const records of opened) await records.close();
  t.ok(existsSync(file));
});

t.test('a second start reuses the key file', async (t) => {
  const { file, ...options } = place(t);
  const first = await openRecords(url, options);
  await first.adoptSigningKey(key);
  await first.close();
  const made = readFileSync(`${file}.key`, 'utf8');
  t.match(made, /^[A-Za-z0-9+/]{43}=\n$/);
  const second = await openRecords(url, options);
  t.strictSame(Buffer.from((await second.listSigningKeys())[0]?.privateKey ?? []), key.privateKey);
  await second.close();
  t.equal(readFileSync(`${file}.key`, 'utf8'), made);
});

t.test('a fault of the key file is reported at start', async (t) => {
  const { file, ...options } = place(t);
  const first = await openRecords(url, options);
  await first.adoptSigningKey(key);
  await first.close();
  const good = readFileSync(`${file}.key`, 'utf8');

  writeFileSync(`${file}.key`, 'c2hvcnQ=\n');
  await t.rejects(openRecords(url, options), {
    name: 'StorageUnusable',
    message: /key file .* is not 32 bytes in base64/,
  });
  if (process.platform !== 'win32') {
    writeFileSync(`${file}.key`, good);
    chmodSync(`${file}.key`, 0o644);
    await t.rejects(openRecords(url, options), {
      name: 'StorageUnusable',
      message: /other users of this machine can read or write .*: chmod 640/,
    });
  }
  rmSync(`${file}.key`);
  mkdirSync(`${file}.key`, { mode: 0o700 });
  await t.rejects(openRecords(url, options), { name: 'StorageUnusable', message: /cannot be read/ });
  rmSync(`${file}.key`, { recursive: true });
  await t.rejects(openRecords(url, options), { name: 'StorageUnusable', message: /is missing/ });
  t.notOk(existsSync(`${file}.key`), 'and none is made that could hide it');
});

const bits = process.platform === 'win32' ? 'Windows has no such bits' : false;

t.test(
  'a key file that its group may read is accepted, as in a Secret in Kubernetes; one that it may write causes a warning',
  { skip: bits },
  async (t) => {
    const { file, ...options } = place(t);
    await (await openRecords(url, options)).close();
    for (const [mode, warnings] of [
      [0o400, []],
      [0o440, []],
      [0o640, []],
      [0o660, [`the group of the file ${file}.key can write to it: chmod g-w ${file}.key`]],
    ] as const) {
      chmodSync(`${file}.key`, mode);
      const told: string[] = [];
      await (await openRecords(url, { ...options, warn: (message) => told.push(message) })).close();
      t.strictSame(told, warnings, mode.toString(8));
    }
  },
);

t.test('a database that everyone may read is reported at start', { skip: bits }, async (t) => {
  const { file, ...options } = place(t);
  await (await openRecords(url, options)).close();
  chmodSync(file, 0o644);
  const told: string[] = [];
  await (await openRecords(url, { ...options, warn: (message) => told.push(message) })).close();
  t.strictSame(told, [`other users of this machine can read or write the file ${file}: chmod 600 it`]);
});

t.test('a missing key file is reported even if only secrets and no signing key are sealed', async (t) => {
  const { file, ...options } = place(t);
  const first = await openRecords(url, options);
  await first.adoptSecret('transactions', new Uint8Array(32));
  await first.close();
  rmSync(`${file}.key`);
  await t.rejects(openRecords(url, options), { name: 'StorageUnusable', message: /is missing/ });
  t.notOk(existsSync(`${file}.key`));
});

t.test('configured keys need no key file', async (t) => {
  const { file, ...options } = place(t);
  const records = await openRecords(url, { ...options, encryptionKeys: [Buffer.alloc(32, 7).toString('base64')] });
  await records.close();
  t.notOk(existsSync(`${file}.key`));
  for (const bad of ['', 'x', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('base64')} `]) {
    await t.rejects(openRecords(url, { ...options, encryptionKeys: [bad] }), {
      message: /encryption_keys\[0\] is not 32 bytes in base64/,
    });
  }
});

t.test('private keys are sealed in the file', async (t) => {
  const { file, ...options } = place(t);
  const records = await openRecords(url, options);
  await records.adoptSigningKey({ ...key, privateKey: sha256('needle') });
  await records.close();
  t.notOk(readFileSync(file).includes(sha256('needle')));
});

t.test('a file that is not a database, or a directory, is an error in one line', async (t) => {
  const { file, ...options } = place(t);
  mkdirSync(join(options.directory, 'data'));
  writeFileSync(file, 'this is not a database, but it is long enough to be looked at as one '.repeat(20));
  await t.rejects(openRecords(url, options), {
    name: 'StorageUnusable',
    message: /gatehouse\.db cannot be used: file is not a database/,
  });
  rmSync(file);
  mkdirSync(file);
  await t.rejects(openRecords(url, options), { name: 'StorageUnusable', message: /cannot be used/ });
});
