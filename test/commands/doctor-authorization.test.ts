import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { eventServer } from '../authorization/security-events/receiver.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { serving } from '../support/serving.ts';
import { doctored, expectSeen, fileIn } from './doctored.ts';

/** Starts PostgreSQL: 40 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

async function service(t: Test, changes: object = {}): Promise<string> {
  const port = await freePort();
  return fileIn(t, 'authorization.yaml', {
    issuer: `http://127.0.0.1:${port}`,
    listen: `127.0.0.1:${port}`,
    storage: 'sqlite:data/a.db',
    resources: ['https://api.example.com'],
    log: { format: 'json' },
    ...changes,
  });
}

async function run(t: Test, file: string) {
  const running = command(t, ['authorization', '--config', file]);
  if (!(await running.prints('is ready'))) throw new Error(running.stdout() + running.stderr());
  return running;
}

const beside = (file: string, name: string) => join(dirname(file), name);

t.test('before the first start nothing is broken, and nothing is created', async (t) => {
  const file = await service(t, { audit: { file: 'audit.jsonl' } });
  const found = await doctored(t, file, {});
  expectSeen(t, found, file, 'good', /^valid$/);
  expectSeen(t, found, 'listen', 'good', /^free$/);
  expectSeen(t, found, 'issuer', 'doubtful', /does not run/);
  expectSeen(t, found, 'storage', 'doubtful', /^does not exist yet$/);
  expectSeen(t, found, 'the folder of', 'good', /^can be written, \d+ MiB are free$/);
  expectSeen(t, found, 'audit', 'good', /^can be written/);
  t.equal(found.status, 0);
  t.notOk(existsSync(beside(file, 'data')), 'the store was not made');
  t.notOk(existsSync(beside(file, 'audit.jsonl')), 'the audit log was not made');
});

t.test('while the service runs everything is fine, with and without a listener for health', async (t) => {
  for (const health of [{}, { health: `127.0.0.1:${await freePort()}` }]) {
    const file = await service(t, health);
    await run(t, file);
    const found = await doctored(t, file);
    expectSeen(t, found, 'listen', 'good', /^held by a Gatehouse that/);
    expectSeen(t, found, 'issuer', 'good', /name this issuer/);
    expectSeen(t, found, 'storage', 'good', /tables of this version/);
    expectSeen(t, found, 'the mode of', 'good', /^readable by its owner only/);
    expectSeen(t, found, 'the key ', 'good', /^readable by its owner only/);
    t.strictSame([found.status, found.findings.filter(({ verdict }) => verdict === 'bad')], [0, []]);
  }
});

t.test('the issuer: a port that is not the port of `listen`, and a name that leads elsewhere', async (t) => {
  const free = await freePort();
  const mismatch = await doctored(t, await service(t, { issuer: `http://127.0.0.1:${free}` }));
  expectSeen(t, mismatch, 'issuer', 'bad', /has the port \d+ of this machine, and `listen` has \d+/);
  const stranger = createHttp((_request, response) => void response.writeHead(404).end());
  const elsewhere = (await serving(t, stranger)).replace('127.0.0.1', 'localhost');
  const file = await service(t, { issuer: `${elsewhere.replace('http:', 'https:')}`, development: true });
  await run(t, file);
  const led = await doctored(t, file);
  expectSeen(t, led, 'issuer', 'bad', /runs at http:\S+, and is not reachable at its issuer URL/);
  t.equal(led.status, 1);
});

t.test('receivers of security events: each must answer, and accept our credentials', async (t) => {
  const server = await eventServer(t, [[400, '{"err":"invalid_request"}'], [401], [404], [503]]);
  const receiver = (id: string, more: object = {}) => ({
    id,
    url: server.url,
    audience: 'https://crm.example.com',
    ...more,
  });
  const look = async (
    receivers: readonly object[],
    more: object = { outbound: { private_addresses: ['127.0.0.0/8'] } },
  ) => doctored(t, await service(t, { security_events: { receivers }, ...more }));
  const authorization = 'Bearer a-secret-of-the-receiver';
  const found = await look([receiver('crm', { authorization })]);
  expectSeen(t, found, 'security_events.receivers crm', 'good', /accepts our credentials/);
  t.match(server.pushed, [{ token: '', headers: { authorization } }]);
  for (const [verdict, words] of [
    ['bad', /^answers 401/],
    ['bad', /^answers 404/],
    ['doubtful', /^answers 503/],
  ] as const)
    expectSeen(t, await look([receiver('crm')]), 'security_events.receivers crm', verdict, words);
  const gone = receiver('gone', { url: `http://127.0.0.1:${await freePort()}/` });
  expectSeen(t, await look([gone]), 'security_events.receivers gone', 'bad', /ECONNREFUSED/);
  expectSeen(t, await look([gone], {}), 'security_events.receivers gone', 'bad', /`outbound.private_addresses`/);
});

t.test('an address that another program uses', async (t) => {
  const stranger = createServer((socket) => socket.destroy());
  await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
  t.teardown(() => stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const found = await doctored(t, await service(t, { listen: `127.0.0.1:${port}` }));
  expectSeen(t, found, 'listen', 'bad', /^held by another program/);
});

t.test('a store that is empty, of a newer version, or not a database', async (t) => {
  const file = await service(t, { storage: 'sqlite:a.db' });
  const database = beside(file, 'a.db');
  const look = () => doctored(t, file);
  writeFileSync(database, '', { mode: 0o600 });
  expectSeen(t, await look(), 'storage', 'doubtful', /^has no tables yet$/);
  rmSync(database);
  t.equal((await command(t, ['authorization', '--config', file, '--migrate-only']).ended()).status, 0);
  expectSeen(t, await look(), 'storage', 'good', /tables of this version/);
  alter(database, 'DELETE FROM migration WHERE version = (SELECT max(version) FROM migration)');
  expectSeen(t, await look(), 'storage', 'doubtful', /^1 migrations are missing$/);
  alter(database, "INSERT INTO migration VALUES (9999, 'later', 'x', 0)");
  const newer = await look();
  expectSeen(t, newer, 'storage', 'bad', /has version 9999/);
  t.equal(newer.status, 1);
  writeFileSync(database, 'this is no database, and never was one'.repeat(20));
  expectSeen(t, await look(), 'storage', 'bad', /not a database/);
});

function alter(file: string, sql: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

t.test('files of the store: readable for everyone, the key readable or missing', async (t) => {
  const file = await service(t, { storage: 'sqlite:a.db' });
  await command(t, ['authorization', '--config', file, '--migrate-only']).ended();
  const [database, key] = [beside(file, 'a.db'), beside(file, 'a.db.key')];
  chmodSync(database, 0o644);
  chmodSync(key, 0o644);
  const open = await doctored(t, file);
  expectSeen(t, open, `the mode of ${database}`, 'doubtful', /other users/);
  expectSeen(t, open, `the key ${key}`, 'bad', /other users/);
  renameSync(key, `${key}.old`);
  expectSeen(t, await doctored(t, file), `the key ${key}`, 'bad', /^is missing/);
});

t.test('folders of the store and the audit log: without space, or not writable', async (t) => {
  // a file system of the kernel: its folders are not writable, and have no space
  const found = await doctored(
    t,
    await service(t, { storage: 'sqlite:/proc/a.db', audit: { file: '/proc/audit.jsonl' } }),
  );
  expectSeen(t, found, 'the folder of sqlite:/proc', 'bad', /cannot write to \/proc|0 MiB are free/);
  expectSeen(t, found, 'audit', 'bad', /cannot write to \/proc|0 MiB are free/);
});

t.test('a store in memory is a warning', async (t) => {
  expectSeen(
    t,
    await doctored(t, await service(t, { storage: 'sqlite::memory:' })),
    'storage',
    'doubtful',
    /data is lost/,
  );
});

t.test('PostgreSQL: without tables, with tables, and down', { skip: skipWithoutPostgres }, async (t) => {
  const server = await postgresServer(t);
  const storage = await server.database();
  const encryption_keys = [Buffer.alloc(32, 7).toString('base64')];
  const file = await service(t, { storage, encryption_keys });
  const look = () => doctored(t, file);
  expectSeen(t, await look(), 'storage postgres:', 'doubtful', /^has no tables yet$/);
  t.equal(
    (await server.ask("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", storage)).length,
    0,
    'none was made',
  );
  t.equal((await command(t, ['authorization', '--config', file, '--migrate-only']).ended()).status, 0);
  const well = await look();
  expectSeen(t, well, 'storage postgres:', 'good', /tables of this version/);
  expectSeen(t, well, 'storage postgres:', 'good', /^agrees with ours$/);
  await server.abort();
  expectSeen(t, await look(), 'storage postgres:', 'bad', /ECONNREFUSED/);
});

t.test('an encryption key that is still in use is reported, and one that was removed too early', async (t) => {
  const [old, fresh, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
    string,
    string,
    string,
  ];
  const file = await service(t, { encryption_keys: [old] });
  const name = (...keys: string[]) =>
    writeFileSync(file, stringify({ ...parse(readFileSync(file, 'utf8')), encryption_keys: keys }));
  const reseal = () => command(t, ['key', 'reseal', '--config', file]).ended();
  const running = await run(t, file);
  running.process.kill('SIGTERM');
  await running.ended();
  name(fresh, old);
  expectSeen(t, await doctored(t, file), 'storage', 'doubtful', /^encryption_keys\[1\] still seals [1-9]\d* values$/);
  t.match(await reseal(), {
    status: 0,
    stdout: /^\d+ secrets, 1 signing keys are now sealed with the first encryption key/,
  });
  expectSeen(t, await doctored(t, file), 'storage', 'good', /^encryption_keys\[1\] no longer seals any value/);
  name(fresh);
  t.match(await reseal(), { status: 0, stdout: /already/ });
  name(other);
  expectSeen(t, await doctored(t, file), 'storage', 'bad', /^\d+ values are sealed with a key that is missing$/);
  t.match(await reseal(), { status: 1, stderr: /no encryption key opens/ });
});

t.test('an untrusted proxy in front of the service is a warning with its address', async (t) => {
  const file = await service(t, { health: `127.0.0.1:${await freePort()}` });
  await run(t, file);
  const [, listen] = /^listen: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const before = await doctored(t, file);
  t.notMatch(JSON.stringify(before), /says that it is a proxy/);
  await fetch(`http://${listen}/oauth2/jwks`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  const named = /^127\.0\.0\.1 says that it is a proxy, and `trusted_proxies` does not name it/;
  expectSeen(t, await doctored(t, file), 'trusted_proxies', 'doubtful', named);
});
