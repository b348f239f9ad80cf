import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { asking, CALLERS, grant, judge, linesOf, lostOf, post, serviceFile, shop } from './support/disk-service.ts';
import { failingAudit } from './support/failing-audit.ts';
import { type Program, program, recovers } from './support/program.ts';
import { type FailingDisk, failingDisk, isReadOnly, noReadOnly, readOnly } from './support/read-only.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 4;

const RECOVERY = sized(15_000, 2_000, 2_000);
/** Milliseconds for which nothing is writable, and how often. */
const HELD = sized(700, 3_000, 10_000);
const ROUNDS = sized(1, 3, 20);

const skip = noReadOnly ?? false;
const skipDisk = failingDisk(t) === undefined && 'this user may not mount a file system of its own';

/** Requests that need no write get their usual answer. */
async function readsAreServed(t: Test, served: Program, tokens: readonly string[]): Promise<void> {
  const [token = ''] = tokens;
  const known = await post(served, '/oauth2/introspect', { token }, judge);
  t.match(await known.json(), { active: true }, 'a token is looked up');
  const unknown = await post(served, '/oauth2/introspect', { token: 'nobody' }, judge);
  t.strictSame(await unknown.json(), { active: false });
  for (const path of ['/.well-known/oauth-authorization-server', '/oauth2/jwks'])
    t.equal((await fetch(served.url + path)).status, 200, path);
  t.equal(
    (await grant(served, { ...shop, secret: 'cs_wrong-secret-of-32-bytes-or-so' })).status,
    401,
    'a wrong secret',
  );
}

/** Requests that need a write get an outage with Retry-After. */
async function writesAreOut(t: Test, served: Program, tokens: readonly string[]): Promise<void> {
  const revoked = await post(served, '/oauth2/revoke', { token: tokens[0] ?? '' }, shop);
  t.match(await revoked.json(), { error: 'temporarily_unavailable' }, 'nothing is revoked that would not stay so');
  t.equal(revoked.status, 503);
  t.match(revoked.headers.get('retry-after'), /^[1-9]\d*$/);
  t.strictSame(
    [(await fetch(`${served.adminUrl}/livez`)).status, (await fetch(`${served.adminUrl}/readyz`)).status],
    [200, 503],
    'it lives, and is not ready',
  );
}

function isSound(t: Test, file: string): number {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  t.strictSame({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  const { rows } = database.prepare('SELECT count(*) AS rows FROM access_token').get() as { rows: number };
  database.close();
  return rows;
}

t.test(
  'a database that turns read-only: 503 for requests that need a write, and it recovers by itself',
  { skip },
  async (t) => {
    const file = join(temporaryFolder(t), 'gatehouse.db');
    const served = await program(t, 'authorization', () => serviceFile(`storage: sqlite:${file}`));
    const told = asking(served);
    for (let round = 0; round < ROUNDS; round++) {
      await pause(300);
      const end = await readOnly(
        t,
        served.pid,
        ['', '-wal', '-shm', '-journal'].map((suffix) => file + suffix),
      );
      const before = { ...told.statuses };
      await pause(HELD);
      t.ok(await until(() => (told.statuses['503'] ?? 0) > (before['503'] ?? 0)), 'it is felt');
      await writesAreOut(t, served, told.tokens);
      await readsAreServed(t, served, told.tokens);
      await end();
      await recovers(t, 'well again', async () => (await grant(served)).status === 200, RECOVERY);
      const isReady = async () => (await fetch(`${served.adminUrl}/readyz`)).status === 200;
      await recovers(t, 'ready', isReady, RECOVERY);
    }
    await told.stop();
    t.comment(JSON.stringify(told.statuses));
    t.strictSame(told.wrong.slice(0, 3), []);
    t.equal(await lostOf(served, told.tokens), 0, `each of ${told.tokens.length} answered tokens is there`);
    served.child.kill('SIGTERM');
    t.equal(await served.ended, 0);
    t.equal(isSound(t, file), told.tokens.length + ROUNDS, 'one row for each answered token, and none for another');
  },
);

t.test(
  'a file system that finds itself broken: 503, and after its repair each answered token still exists',
  { skip: skipDisk },
  async (t) => {
    const disk = failingDisk(t) as FailingDisk;
    const file = join(disk.directory, 'gatehouse.db');
    const text = () => serviceFile(`storage: sqlite:${file}`);
    const served = await program(t, 'authorization', text);
    const told = asking(served);
    await pause(500);
    disk.fail();
    t.ok(isReadOnly(disk.directory));
    const before = told.statuses['503'] ?? 0;
    await pause(HELD);
    t.ok(await until(() => (told.statuses['503'] ?? 0) > before), 'it is felt');
    await writesAreOut(t, served, told.tokens);
    await readsAreServed(t, served, told.tokens);
    await told.stop();
    t.comment(JSON.stringify(told.statuses));
    t.strictSame(told.wrong.slice(0, 3), []);
    served.child.kill('SIGTERM');
    t.equal(await served.ended, 0, 'it stops in order');
    disk.mend();
    const next = await program(t, 'authorization', text);
    t.equal(await lostOf(next, told.tokens), 0, `each of ${told.tokens.length} answered tokens is there`);
    next.child.kill('SIGTERM');
    t.equal(await next.ended, 0);
    const besides = isSound(t, file) - told.tokens.length;
    t.ok(besides >= 0 && besides <= CALLERS, `and ${besides} that were on their way to the disk when it failed`);
  },
);

t.test(
  'an audit file that turns read-only: every event is recorded, in the file or in the log',
  { skip },
  async (t) => {
    const { cut } = await failingAudit(t, {
      directory: temporaryFolder(t),
      rounds: ROUNDS,
      recovery: RECOVERY,
      fail: (audit, { pid }) => readOnly(t, pid, [audit]),
    });
    t.strictSame(cut, [], 'no line is cut');
  },
);

const gatewayFile = `log: { level: info, format: json }
upstreams: { api: { url: "http://127.0.0.1:1" } }
defaults: { upstream: api }
routes: [{ match: { path: /a }, access: public }]
`;

t.test('a log that turns read-only: requests are answered, and logging recovers', { skip }, async (t) => {
  const log = join(temporaryFolder(t), 'log');
  const stdout = openSync(log, 'a');
  t.teardown(() => closeSync(stdout));
  const served = await program(t, 'gateway', () => gatewayFile, { stdout });
  const ask = async (times: number) => {
    for (let count = 0; count < times; count++) t.equal((await fetch(`${served.url}/a`)).status, 502);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await ask(20);
    const end = await readOnly(t, served.pid, [log]);
    const during = readFileSync(log).length;
    await ask(50);
    t.equal(readFileSync(log).length, during, 'it is felt');
    await end();
    await ask(20);
    await recovers(t, 'it is written again', async () => readFileSync(log).length > during, RECOVERY);
  }
  const { whole, cut } = linesOf(readFileSync(log, 'utf8'));
  t.strictSame(cut, []);
  t.ok(whole.length >= 40 * ROUNDS);
  t.match(served.output(), /^gatehouse: log lines are lost: EROFS/m);
  t.equal(served.child.exitCode, null, 'it lives');
});
