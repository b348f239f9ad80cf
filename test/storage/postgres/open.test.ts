import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { migrations } from '../../../src/storage/migrations/index.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';

const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
const options = { directory: '/', clock: systemClock, encryptionKeys };
const key = { kid: 'k', alg: 'ES256', publicJwk: {}, privateKey: sha256('needle'), createdAt: 1 };
const server = skip === false ? await postgresServer(t) : undefined;
const newDatabase = async () => (await server?.database()) ?? '';
const ask = async (sql: string, url: string) => (await server?.ask(sql, url)) ?? [];

t.test('without encryption keys PostgreSQL is not opened, and the message says what to do', async (t) => {
  for (const keys of [undefined, []]) {
    await t.rejects(openRecords('postgres://nobody@127.0.0.1:1/x', { ...options, encryptionKeys: keys }), {
      name: 'StorageUnusable',
      message: /needs encryption_keys: .*openssl rand -base64 32/,
    });
  }
});

t.test('an unreachable server is named, its password is not', async (t) => {
  const error = await openRecords('postgres://alice:top-secret@127.0.0.1:1/shop', options).catch((failure) => failure);
  t.equal(error.name, 'StorageUnusable');
  t.match(error.message, /postgres:\/\/127\.0\.0\.1:1\/shop cannot be used: .*ECONNREFUSED/);
  t.notMatch(JSON.stringify([error, error.cause, error.message, error.stack]), /top-secret/);
});

t.test('many processes may open an empty database at once', { skip }, async (t) => {
  const url = await newDatabase();
  const opened = await Promise.all(Array.from({ length: 5 }, () => openRecords(url, options)));
  const adopted = await Promise.all(opened.map((records, n) => records.adoptSigningKey({ ...key, kid: `k${n}` })));
  t.equal(new Set(adopted.map(({ kid }) => kid)).size, 1);
  for (const records of opened) await records.close();
  const journal = await ask('SELECT version, name, checksum FROM migration ORDER BY version', url);
  t.strictSame(
    journal.map((row) => [Number(row.version), row.name, row.checksum]),
    migrations.map(({ version, name, sql, postgres = '' }) => [version, name, sha256(sql + postgres).toString('hex')]),
  );
});

t.test('a second start finds what the first one saved', { skip }, async (t) => {
  const url = (await newDatabase()).replace('postgres:', 'postgresql:');
  const first = await openRecords(url, options);
  await first.adoptSigningKey(key);
  await first.close();
  const second = await openRecords(url, options);
  t.strictSame((await second.listSigningKeys())[0]?.privateKey, key.privateKey);
  await second.close();
  const other = await openRecords(url, { ...options, encryptionKeys: [Buffer.alloc(32, 8).toString('base64')] });
  t.teardown(() => other.close());
  await t.rejects(other.listSigningKeys(), { name: 'StorageUnusable', message: /no encryption key opens/ });
});

t.test('a database of another program is refused, and not changed', { skip }, async (t) => {
  const newer = await newDatabase();
  await (await openRecords(newer, options)).close();
  await ask("INSERT INTO migration VALUES (99, 'later', 'x', 1)", newer);
  await t.rejects(openRecords(newer, options), {
    name: 'StorageUnusable',
    message: /has version 99, and this program/,
  });
  const changed = await newDatabase();
  await (await openRecords(changed, options)).close();
  await ask("UPDATE migration SET checksum = 'x' WHERE version = 2", changed);
  await t.rejects(openRecords(changed, options), {
    name: 'StorageUnusable',
    message: /migration 2 in the database differs/,
  });
});

t.test('a migration that fails leaves nothing behind', { skip }, async (t) => {
  const url = await newDatabase();
  await ask('CREATE TABLE one_time (foreign_table INTEGER)', url);
  await t.rejects(openRecords(url, options), { name: 'StorageUnusable', message: /"one_time" already exists/ });
  const tables = await ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", url);
  t.strictSame(tables, [{ tablename: 'one_time' }]);
});

t.test(
  "whatever the database's defaults, commits are synced and transactions read committed data",
  { skip },
  async (t) => {
    const url = await newDatabase();
    const name = new URL(url).pathname.slice(1);
    for (const setting of [
      'synchronous_commit = off',
      "default_transaction_isolation = 'serializable'",
      "DateStyle = 'SQL, DMY'",
      "bytea_output = 'escape'",
    ])
      await ask(`ALTER DATABASE ${name} SET ${setting}`, url);
    const records = await openRecords(url, options);
    t.teardown(() => records.close());
    await ask(
      `CREATE TABLE seen (sync TEXT, isolation TEXT);
     CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO seen VALUES (current_setting('synchronous_commit'), current_setting('transaction_isolation'));
       RETURN NEW;
     END $$;
     CREATE TRIGGER look BEFORE INSERT ON one_time FOR EACH ROW EXECUTE FUNCTION look();
     CREATE TRIGGER look BEFORE INSERT ON signing_key FOR EACH ROW EXECUTE FUNCTION look()`,
      url,
    );
    await records.useOnce({ hash: new Uint8Array(32), until: 1 });
    await records.adoptSigningKey(key);
    const seen = { sync: 'on', isolation: 'read committed' };
    t.strictSame(await ask('SELECT * FROM seen', url), [seen, seen]);
    t.strictSame((await records.listSigningKeys())[0]?.privateKey, key.privateKey);
  },
);

t.test('the error of a constraint contains no data of the row', { skip }, async (t) => {
  const url = await newDatabase();
  const records = await openRecords(url, options);
  t.teardown(() => records.close());
  await ask('ALTER TABLE account ADD CHECK (length(name) < 5)', url);
  const account = {
    subject: 's',
    username: 'alice',
    passwordHash: '$argon2$hash',
    name: 'Alice',
    claims: {},
    createdAt: 1,
  };
  const error = await records.addAccount(account).catch((failure) => failure);
  t.equal(error.code, '23514');
  t.notMatch(JSON.stringify({ ...error, message: error.message }), /argon2|alice/i);
});

t.test("the host may be the server's socket", { skip }, async (t) => {
  const database = new URL(await newDatabase()).pathname;
  const socket = encodeURIComponent(server?.directory ?? '');
  for (const url of [
    `postgres://postgres@${socket}:${server?.port}${database}`,
    `postgres://postgres@x:${server?.port}${database}?host=${socket}`,
  ])
    await t.resolves((async () => (await openRecords(url, options)).close())());
});

t.test('certificates and their names are verified, unless TLS is off', { skip }, async (t) => {
  if (server === undefined) return;
  const files = { certificate: join(server.directory, 'server.crt'), key: join(server.directory, 'server.key') };
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = spawnSync('openssl', [...request, ...names, '-keyout', files.key, '-out', files.certificate]);
  t.equal(made.status, 0, String(made.stderr));
  spawnSync('chown', ['postgres', files.key, files.certificate]);
  copyFileSync(files.certificate, join(server.directory, 'ca.pem'));
  server.configure(`ssl = on\nssl_cert_file = '${files.certificate}'\nssl_key_file = '${files.key}'`);
  await server.abort();
  await server.start();
  const named = (await newDatabase()).replace('127.0.0.1', 'localhost');
  const byAddress = await newDatabase();
  const directory = server.directory;
  const open = async (url: string) => (await openRecords(url, { ...options, directory })).close();
  await open(`${named}?sslmode=require&sslrootcert=ca.pem`);
  await open(`${named}?sslmode=verify-full&sslrootcert=ca.pem`);
  await open(`${named}?sslrootcert=ca.pem`);
  await open(`${byAddress}?sslmode=verify-ca&sslrootcert=ca.pem`);
  await open(`${byAddress}?sslmode=disable`);
  const refused = (message: RegExp) => ({ name: 'StorageUnusable', message });
  await t.rejects(open(`${named}?sslmode=require`), refused(/self-signed certificate/));
  await t.rejects(open(`${byAddress}?sslmode=require&sslrootcert=ca.pem`), refused(/does not match certificate/));
  const records = await openRecords(`${named}?sslmode=require&sslrootcert=ca.pem`, { ...options, directory });
  t.teardown(() => records.close());
  await records.ping(1);
  const [row] = await ask(
    "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'gatehouse'",
    named,
  );
  t.strictSame(row, { ssl: true });
});
