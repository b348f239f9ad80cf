import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import {
  account,
  claim,
  isAlive,
  minted,
  now,
  rotation,
  saveCode,
  tally,
  times,
} from '../../contracts/records/samples.ts';
import { isFullSize } from '../../support/long.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

/** Starts PostgreSQL: 46 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
const server = skip === false ? await postgresServer(t) : undefined;
const options = { directory: '/', clock: systemClock, encryptionKeys };

/** Skipped tests need nothing. */
function running() {
  if (server === undefined) throw new Error('there is no server');
  return server;
}

async function open(t: Test, url: string) {
  const records = await openRecords(url, options);
  t.teardown(() => records.close());
  return records;
}

async function twoPools(t: Test) {
  const url = await running().database();
  return [await open(t, url), await open(t, url)] as const;
}

const CODES = isFullSize ? 200 : 20;
const TOKENS = isFullSize ? 500 : 30;

t.test(`each of ${CODES} codes that two processes redeem 50 times at once has one winner`, { skip }, async (t) => {
  const pools = await twoPools(t);
  for (const name of times(CODES, (index) => `code ${index}`)) {
    await saveCode(pools[0], name);
    const asked = times(50, (index) => pools[index % 2 === 0 ? 0 : 1].redeemCode(claim(name), minted(name)));
    const outcomes = tally(await Promise.all(asked));
    if (outcomes.redeemed !== 1 || outcomes.replayed !== 49) t.fail(name, { outcomes });
  }
});

t.test(
  `each of ${TOKENS} refresh tokens that two processes rotate 20 times at once has one winner`,
  { skip },
  async (t) => {
    const pools = await twoPools(t);
    for (const name of times(TOKENS, (index) => `grant ${index}`)) {
      await pools[0].saveTokens(minted(name));
      const rotate = (index: number) =>
        pools[index % 2 === 0 ? 0 : 1].rotateRefreshToken(rotation(`refresh ${name}`, `${name} ${index}`, name));
      const outcomes = tally(await Promise.all(times(20, rotate)));
      if (outcomes.rotated !== 1 || outcomes.lost !== 19) t.fail(name, { outcomes });
    }
  },
);

/** Until it is stopped. Each call is recorded with its result. */
async function traffic(url: string, t: Test) {
  const pools = await Promise.all(times(4, () => open(t, url)));
  const answered: string[] = [];
  const failed: unknown[] = [];
  let going = true;
  const work = async (records: Records, worker: number) => {
    for (let index = 0; going; index++) {
      const name = `${worker}.${index}`;
      try {
        await saveCode(records, name);
        if ((await records.redeemCode(claim(name), minted(name))) === 'redeemed') answered.push(name);
      } catch (error) {
        failed.push(error);
        await pause(5);
      }
    }
  };
  const done = Promise.all(pools.map(work));
  const stop = () => {
    going = false;
    return done;
  };
  return { answered, failed, stop };
}

const ROUNDS = isFullSize ? 20 : 3;

t.test(
  `a server that aborts ${ROUNDS} times under load: calls fail as outages, reconnect, and no answer was wrong`,
  { skip },
  async (t) => {
    const url = await running().database();
    const load = await traffic(url, t);
    const recoveries: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await pause(300);
      await running().abort();
      await pause(50);
      await running().start();
      recoveries.push(await untilAnswered(load.answered));
    }
    await load.stop();
    t.ok(load.failed.length >= ROUNDS, 'there were calls that failed');
    t.strictSame(tally(load.failed.map((error) => error instanceof Error && error.name)), {
      StorageUnavailable: load.failed.length,
    });
    t.ok(Math.max(...recoveries) < 15_000, `found again within ${Math.max(...recoveries).toFixed(0)} ms`);
    const records = await open(t, url);
    const lost: string[] = [];
    for (const name of load.answered) if (!(await isAlive(records, `access ${name}`))) lost.push(name);
    t.strictSame(lost, [], `all ${load.answered.length} that were answered are there`);
  },
);

async function untilAnswered(answered: readonly string[]): Promise<number> {
  const [started, before] = [performance.now(), answered.length];
  while (answered.length === before && performance.now() - started < 20_000) await pause(5);
  return performance.now() - started;
}

/** Milliseconds until every one of them has failed as an outage. */
async function outage(t: Test, calls: readonly Promise<unknown>[]): Promise<number> {
  const started = performance.now();
  for (const outcome of await Promise.allSettled(calls))
    t.equal(outcome.status === 'rejected' && outcome.reason.name, 'StorageUnavailable');
  return performance.now() - started;
}

t.test('a silent server is an outage within seconds, and is used again afterwards', { skip }, async (t) => {
  const records = await open(t, await running().database());
  await records.saveTokens(minted('a'));
  running().freeze();
  const calls = times(30, (index) => [
    records.findAccessToken(sha256('access a'), now),
    records.ping(now),
    records.saveTokens(minted(`b ${index}`)),
  ]).flat();
  const waited = await outage(t, calls);
  t.ok(waited < 15_000, `${waited.toFixed(0)} ms`);
  running().thaw();
  t.equal(await isAlive(records, 'access a'), true);
  await records.ping(now);
});

/** Of this database: a session of an earlier test may still sleep in its own. */
const SLEEPERS = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";

/** Settles once another session sleeps in a transaction with its locks. */
async function sleeps(t: Test, url: string): Promise<void> {
  const sleeping = () => running().ask(`SELECT 1 ${SLEEPERS}`, url);
  t.ok(await until(async () => (await sleeping()).length > 0));
}

/** Each verb that saves a grant takes this long. A verb that denies a JWT does too, and then conflicts. */
async function slow(url: string, seconds: number, conflictAfter: number): Promise<void> {
  await running().ask(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END $$;
     CREATE TRIGGER slow BEFORE INSERT ON authorization_grant FOR EACH ROW EXECUTE FUNCTION slow();
     CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_sleep(${conflictAfter}); RAISE EXCEPTION 'no' USING ERRCODE = '40001';
     END $$;
     CREATE TRIGGER conflict BEFORE INSERT ON denied_jwt FOR EACH ROW EXECUTE FUNCTION conflict()`,
    url,
  );
}

t.test('a caller waits for a connection as long as a verb may take', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await slow(url, 2.5, 0);
  const before = times(10, (index) => records.saveTokens(minted(`a ${index}`)));
  const behind = times(54, () => records.findAccessToken(sha256('nobody'), now));
  t.strictSame(tally((await Promise.allSettled([...before, ...behind])).map(({ status }) => status)), {
    fulfilled: 64,
  });
});

t.test('a repeated verb waits no longer than one verb may take', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await slow(url, 3.7, 3.2);
  const conflicting = outage(t, [records.denyJwt('j', now, now)]);
  const others = Promise.allSettled(times(30, (index) => records.saveTokens(minted(`b ${index}`))));
  const waited = await conflicting;
  t.ok(waited > 3200 && waited < 7_000, `${waited.toFixed(0)} ms`);
  await others;
});

t.test('a row that another transaction locks is an outage within seconds', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await records.denyJwt('j', now, now);
  // Until the end of the test, however slow the machine is.
  const held = running().ask('BEGIN; UPDATE denied_jwt SET until = 1; SELECT pg_sleep(60); COMMIT', url);
  const ended = held.catch(() => {});
  await sleeps(t, url);
  t.ok((await outage(t, [records.denyJwt('j', now + 1, now)])) < 7_000);
  await running().ask(`SELECT pg_cancel_backend(pid) ${SLEEPERS}`, url);
  await ended;
  await records.denyJwt('k', now, now);
});

t.test('connections are few, and ones that the operator ends are replaced', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  const others = "FROM pg_stat_activity WHERE application_name = 'gatehouse' AND datname = current_database()";
  const held = running().ask('BEGIN; LOCK TABLE denied_jwt; SELECT pg_sleep(60); COMMIT', url);
  const ended = held.catch(() => {});
  await sleeps(t, url);
  const calls = Promise.allSettled(times(30, () => records.denyJwt('j', now, now)));
  const connections = async () => Number((await running().ask(`SELECT count(*) AS n ${others}`, url))[0]?.n);
  t.ok(await until(async () => (await connections()) > 1), 'calls that wait at once have several connections');
  await running().ask(`SELECT pg_cancel_backend(pid) ${SLEEPERS}`, url);
  await Promise.all([ended, calls]);
  t.ok((await connections()) <= 10);
  await running().ask(`SELECT pg_terminate_backend(pid) ${others}`, url);
  await pause(200);
  await records.ping(now);
});

const conflicts = {
  40001: 'serialization_failure',
  '40P01': 'deadlock_detected',
  '26000': 'invalid_sql_statement_name',
} as const;

/** The first few changes of the table fail with the code. */
async function failing(url: string, code: string, failures: number): Promise<void> {
  await running().ask(
    `CREATE SEQUENCE tries;
     CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('tries') <= ${failures} THEN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END IF;
       RETURN NEW;
     END $$;
     CREATE TRIGGER fail BEFORE INSERT ON authorization_grant FOR EACH ROW EXECUTE FUNCTION fail();
     CREATE TRIGGER fail BEFORE INSERT ON denied_jwt FOR EACH ROW EXECUTE FUNCTION fail()`,
    url,
  );
}

for (const [code, name] of Object.entries(conflicts)) {
  t.test(`${name} is repeated, and is an outage if it does not end`, { skip }, async (t) => {
    const url = await running().database();
    const records = await open(t, url);
    await failing(url, code, 3);
    await records.saveTokens(minted('a'));
    t.equal(await isAlive(records, 'access a'), true);
    await running().ask('ALTER SEQUENCE tries RESTART', url);
    await records.denyJwt('j', now + 1, now);
    t.equal(await records.isJwtDenied('j', now), true);
    await running().ask("SELECT setval('tries', 1, false)", url);
    await running().ask('DROP FUNCTION fail CASCADE; DROP SEQUENCE tries', url);
    await failing(url, code, 1000);
    await outage(t, [records.saveTokens(minted('b')), records.denyJwt('k', now, now)]);
    t.equal(await isAlive(records, 'access b'), false);
  });
}

t.test('a new password ends the tokens of an exchange in progress', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await running().ask(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$;
     CREATE TRIGGER slow BEFORE INSERT ON authorization_grant FOR EACH ROW EXECUTE FUNCTION slow()`,
    url,
  );
  await records.addAccount(account('alice'));
  await saveCode(records, 'a');
  const exchange = records.redeemCode(claim('a'), minted('a'));
  await sleeps(t, url);
  await records.setPassword({ username: 'alice', passwordHash: 'new', now });
  t.equal(await exchange, 'redeemed');
  t.equal(await isAlive(records, 'access a'), false);
});

t.test('the cleanup keeps a row that is extended while it waits for the row', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await records.denyJwt('j', now, now);
  const other = running().ask(`BEGIN; UPDATE denied_jwt SET until = ${now + 60}; SELECT pg_sleep(1.5); COMMIT`, url);
  await sleeps(t, url);
  t.equal(await records.sweep(now, 10), 0);
  await other;
  t.equal(await records.isJwtDenied('j', now), true);
});

t.test('a table that a newer program has changed is still used', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await records.saveTokens(minted('a'));
  const look = () => Promise.all(times(20, () => isAlive(records, 'access a')));
  await look();
  await running().ask('ALTER TABLE access_token ADD COLUMN later TEXT', url);
  t.strictSame(new Set(await look()), new Set([true]));
});

t.test('a deadlock between verbs is not visible to the caller', { skip }, async (t) => {
  const url = await running().database();
  const records = await open(t, url);
  await running().ask("ALTER SYSTEM SET deadlock_timeout = '1200ms'");
  await running().ask('SELECT pg_reload_conf()');
  await records.saveTokens(minted('a'));
  const other = running().ask(
    `SET deadlock_timeout = '60s'; BEGIN; UPDATE authorization_grant SET used_at = used_at WHERE id = 'a';
     SELECT pg_sleep(0.8); UPDATE refresh_token SET issued_at = issued_at; COMMIT`,
    url,
  );
  await sleeps(t, url);
  t.equal(await records.rotateRefreshToken(rotation('refresh a', 'next', 'a')), 'rotated');
  await other;
});
