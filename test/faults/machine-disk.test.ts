import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { until } from '../support/until.ts';
import { asking, grant, linesOf, lostOf, serviceFile } from './support/disk-service.ts';
import { failingAudit } from './support/failing-audit.ts';
import { program, recovers } from './support/program.ts';
import { sized } from './support/size.ts';
import { mounts, type SmallDisk, smallDisk } from './support/small-disk.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 4;

const RECOVERY = sized(15_000, 2_000, 2_000);
/** Milliseconds for which a disk is full, and how often. */
const FULL = sized(700, 3_000, 10_000);
const ROUNDS = sized(1, 3, 20);

const skip = !mounts(t) && 'this user may not mount a file system';

async function fullFor(disk: SmallDisk, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    disk.fill();
    await pause(20);
  }
}

t.test('a full disk under the database: 503, no half row, and it recovers when there is space', { skip }, async (t) => {
  // SQLite writes the database's log back after 16 MiB. The log must not be what fills the disk.
  const disk = smallDisk(t, 64) as SmallDisk;
  const storage = `storage: sqlite:${join(disk.directory, 'gatehouse.db')}`;
  const served = await program(t, 'authorization', () => serviceFile(storage));
  const told = asking(served);
  for (let round = 0; round < ROUNDS; round++) {
    await pause(300);
    const before = told.statuses['503'] ?? 0;
    await fullFor(disk, FULL);
    const isFelt = () => {
      disk.fill();
      return (told.statuses['503'] ?? 0) > before;
    };
    t.ok(await until(isFelt), 'it is felt');
    t.equal((await fetch(`${served.adminUrl}/livez`)).status, 200, 'it lives');
    // A write that still fit into the database's log makes it ready until the next one.
    const isNotReady = async () => {
      disk.fill();
      return (await fetch(`${served.adminUrl}/readyz`)).status === 503;
    };
    t.ok(await until(isNotReady), 'and is not ready');
    disk.free();
    await recovers(t, 'well again', async () => (await grant(served)).status === 200, RECOVERY);
    t.equal((await fetch(`${served.adminUrl}/readyz`)).status, 200);
  }
  await told.stop();
  t.comment(JSON.stringify(told.statuses));
  t.strictSame(told.wrong.slice(0, 3), []);
  t.equal(await lostOf(served, told.tokens), 0, `each of ${told.tokens.length} answered tokens is there`);
  served.child.kill('SIGTERM');
  t.equal(await served.ended, 0);
  const database = new DatabaseSync(join(disk.directory, 'gatehouse.db'), { timeout: 5_000 });
  t.strictSame({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  t.strictSame(database.prepare('PRAGMA foreign_key_check').all(), []);
  const { rows } = database.prepare('SELECT count(*) AS rows FROM access_token').get() as { rows: number };
  // each answer during the recovery was a token too
  t.equal(rows, told.tokens.length + ROUNDS, 'one row for each answered token, and none for another');
  database.close();
});

t.test(
  'a full disk under the audit file: every event is recorded whole, in the file or in the log',
  { skip },
  async (t) => {
    const disk = smallDisk(t, 1) as SmallDisk;
    const fail = async () => {
      disk.fill();
      return () => disk.free();
    };
    const { cut } = await failingAudit(t, { directory: disk.directory, rounds: ROUNDS, recovery: RECOVERY, fail });
    t.ok(cut.length <= ROUNDS, `${cut.length} lines of the file were cut, and stand alone`);
  },
);

const wholeFile = `log: { level: info, format: json }
upstreams: { api: { url: "http://127.0.0.1:1" } }
defaults: { upstream: api }
routes: [{ match: { path: /a }, access: public }]
`;

for (const workers of [1, 2]) {
  t.test(
    `a full disk under the log of ${workers}: requests are answered, and logging recovers`,
    { skip },
    async (t) => {
      const disk = smallDisk(t, 1) as SmallDisk;
      const log = join(disk.directory, 'log');
      const stdout = openSync(log, 'a');
      t.teardown(() => closeSync(stdout));
      const text = workers === 1 ? wholeFile : `workers: ${workers}\n${wholeFile}`;
      const served = await program(t, 'gateway', () => text, { stdout });
      const ask = async (times: number) => {
        for (let count = 0; count < times; count++) t.equal((await fetch(`${served.url}/a`)).status, 502);
      };
      for (let round = 0; round < ROUNDS; round++) {
        await ask(20);
        disk.fill();
        await ask(100);
        disk.free();
        const { length } = readFileSync(log);
        await ask(20);
        await recovers(t, 'it is written again', async () => readFileSync(log).length > length, RECOVERY);
      }
      const { whole, cut } = linesOf(readFileSync(log, 'utf8'));
      t.ok(cut.length <= ROUNDS, `${cut.length} lines were cut, and stand alone`);
      t.ok(whole.length >= 40 * ROUNDS);
      t.match(served.output(), /^gatehouse: log lines are lost: ENOSPC/m);
      t.equal(served.child.exitCode, null, 'it lives');
    },
  );
}
