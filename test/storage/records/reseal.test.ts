import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { keyIds } from '../../../src/storage/engine/encryption-keys.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { type Records, sealedKinds } from '../../../src/storage/records/records.ts';
import { claim, now, plain, saveCode, sessionKey, signingKey, times } from '../../contracts/records/samples.ts';
import { postgresServer, skipWithoutPostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [old, fresh, lost] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
  string,
];

interface Store {
  open(...keys: readonly string[]): Promise<Records>;
  /** Of every table, column by column. */
  everyValue(): Promise<readonly unknown[]>;
}

async function sqlite(t: Test): Promise<Store> {
  const directory = temporaryFolder(t);
  return {
    open: opener(t, 'sqlite:a.db', directory),
    async everyValue() {
      using database = new DatabaseSync(join(directory, 'a.db'), { readOnly: true, timeout: 5_000 });
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return tables.flatMap(({ name }) => database.prepare(`SELECT * FROM ${name}`).all().flatMap(Object.values));
    },
  };
}

async function postgres(t: Test): Promise<Store> {
  const url = await (await postgresServer(t)).database();
  return {
    open: opener(t, url, '/'),
    async everyValue() {
      const client = new Client(url);
      await client.connect();
      const tables = await client.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
      const values: unknown[] = [];
      for (const { name } of tables.rows)
        values.push(...(await client.query(`SELECT * FROM ${name}`)).rows.flatMap((row) => Object.values(row)));
      await client.end();
      return values;
    },
  };
}

const opener =
  (t: Test, url: string, directory: string) =>
  async (...encryptionKeys: readonly string[]) => {
    const records = await openRecords(url, { directory, clock: systemClock, encryptionKeys });
    t.teardown(() => records.close());
    return records;
  };

const USERS = 7;

/** One of everything that is sealed, and more for each user. */
async function fill(records: Records): Promise<void> {
  await records.adoptSecret('transactions', Buffer.alloc(32, 9));
  await records.adoptSigningKey(signingKey('k1'));
  for (const name of times(USERS, (index) => `u${index}`)) {
    const privateJwk = Buffer.from(`private ${name}`);
    await records.adoptUserKey({
      kid: `kid ${name}`,
      subject: name,
      alg: 'ES256',
      publicJwk: {},
      privateJwk,
      createdAt: now,
    });
    const hashes = ['MD5', 'SHA-256'].map((algorithm) => ({
      algorithm,
      ha1: `ha1 ${name}`,
      userhash: `${algorithm} ${name}`,
    }));
    await records.setDigestUser({ realm: 'r', username: name, hashes, changedAt: now });
    await saveCode(records, `code ${name}`, { use: 'session', subject: name });
    const key = sessionKey(`key ${name}`, { subject: name, openid: `o-${name}` });
    await records.redeemSessionCode(claim(`code ${name}`, { use: 'session' }), key);
  }
}

async function everything(records: Records): Promise<unknown> {
  const users = times(USERS, (index) => `u${index}`);
  return plain({
    secret: await records.adoptSecret('transactions', randomBytes(32)),
    keys: await records.listSigningKeys(),
    ofUsers: await Promise.all(
      users.map(async (name) => (await records.findCurrentUserKey(name, 'ES256'))?.openPrivateJwk()),
    ),
    sessions: await Promise.all(users.map((name) => records.findSessionKey(sessionKey(`key ${name}`).hash, now))),
  });
}

/** Returns how many steps it took. */
async function resealAll(records: Records, limit: number): Promise<number> {
  let steps = 0;
  for (const kind of sealedKinds) {
    for (let after: Awaited<ReturnType<Records['resealSome']>>['next']; ; ) {
      const { next } = await records.resealSome({ kind, after, limit });
      steps++;
      if (next === undefined) break;
      after = next;
    }
  }
  return steps;
}

const isUnder = (key: string) => {
  const [id] = keyIds([Buffer.from(key, 'base64')]);
  return (value: unknown) => value instanceof Uint8Array && Buffer.from(value.subarray(1, 9)).toString('hex') === id;
};

async function retires(t: Test, { open, everyValue }: Store): Promise<void> {
  const before = await open(old);
  await fill(before);
  const expected = await everything(before);
  const sealed = (await everyValue()).filter(isUnder(old)).length;
  t.equal(sealed, 2 + USERS * 4, 'a secret, a signing key, and of each user a key, two hashes and a session key');
  const both = await open(fresh, old);
  const counts = await both.countUnderOtherKeys();
  t.equal(
    Object.values(counts).reduce((sum, each) => sum + each, 0),
    sealed,
  );
  t.ok((await resealAll(both, 3)) > sealed / 3, 'in steps');
  t.strictSame((await everyValue()).filter(isUnder(old)), [], 'in no column of any table');
  t.equal((await everyValue()).filter(isUnder(fresh)).length, sealed);
  t.strictSame(await everything(await open(fresh)), expected);
  t.equal(await resealAll(both, 3), sealedKinds.length, 'a second run has nothing to do');
}

async function keepsOn(t: Test, { open }: Store): Promise<void> {
  await fill(await open(old));
  const other = await open(lost);
  await other.setDigestUser({
    realm: 'r',
    username: 'u3',
    hashes: [{ algorithm: 'MD5', ha1: 'x', userhash: 'x' }],
    changedAt: now,
  });
  const both = await open(fresh, old);
  const first = await both.resealSome({ kind: 'digest_users', after: undefined, limit: 100 });
  t.match(first, { count: USERS * 2 - 2, unopened: ['digest user ["r","u3","MD5"]'], next: undefined });
  t.equal((await both.countUnderOtherKeys()).digest_users, 1);
}

/** Everything is written during the reseal, and the last write stays. */
async function losesNothing(t: Test, { open }: Store): Promise<void> {
  const running = await open(fresh, old);
  await fill(await open(old));
  const both = await open(fresh, old);
  const set = (round: number, index: number) =>
    running.setDigestUser({
      realm: 'r',
      username: `u${index}`,
      hashes: [{ algorithm: 'MD5', ha1: `round ${round}`, userhash: `MD5 u${index}` }],
      changedAt: now + round,
    });
  const writes = (async () => {
    for (let round = 0; round < 20; round++) await Promise.all(times(USERS, (index) => set(round, index)));
  })();
  await Promise.all([writes, resealAll(both, 2), resealAll(both, 3)]);
  t.strictSame(
    (await running.listDigestUsers()).map(({ changedAt, algorithms }) => [changedAt, ...algorithms]),
    times(USERS, () => [now + 19, 'MD5']),
  );
  t.strictSame(Object.values(await both.countUnderOtherKeys()), [0, 0, 0, 0, 0]);
}

const rules = {
  'after it everything opens without the old key, and no value of any table lies under it': retires,
  'a value that no key opens is named, and the others are sealed again': keepsOn,
  'what is written meanwhile stays as it was written, also with two at once': losesNothing,
};

for (const [rule, holds] of Object.entries(rules)) {
  t.test(`${rule}: SQLite`, async (t) => holds(t, await sqlite(t)));
  t.test(`${rule}: PostgreSQL`, { skip: skipWithoutPostgres }, async (t) => holds(t, await postgres(t)));
}
