import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import type { AuditFacts } from '../../src/authorization/telemetry/audit.ts';
import { systemClock } from '../../src/base/clock.ts';
import { resealKeys } from '../../src/commands/administration/reseal.ts';
import { StorageUnavailable } from '../../src/storage/engine/errors.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const [old, fresh, lost] = [0, 1, 2].map(() => randomBytes(32).toString('base64')) as [string, string, string];

/** Three secrets under the old key, and one under a key that no longer exists. */
async function scene(t: Test) {
  const directory = temporaryFolder(t);
  const open = async (...encryptionKeys: readonly string[]) => {
    const records = await openRecords('sqlite:a.db', { directory, clock: systemClock, encryptionKeys });
    t.teardown(() => records.close());
    return records;
  };
  const before = await open(old);
  for (const name of ['a', 'b', 'c']) await before.adoptSecret(name, Buffer.alloc(32, 1));
  await (await open(lost)).adoptSecret('lost', Buffer.alloc(32, 1));
  const events: (string | undefined)[] = [];
  const audit = {
    record: (event: string, { detail }: AuditFacts) => void events.push(`${event}: ${detail}`),
    count: () => {},
    open: async () => {},
    close: async () => {},
  };
  const drop = (name: string) => {
    using database = new DatabaseSync(join(directory, 'a.db'), { timeout: 5_000 });
    database.prepare('DELETE FROM secret WHERE name = ?').run(name);
  };
  return { open, drop, audit, events, records: await open(fresh, old) };
}

t.test('the audit log records what was sealed again, also if something failed', async (t) => {
  const { records, audit, events } = await scene(t);
  await t.rejects(resealKeys({ records, audit }), { message: /^no encryption key opens .*lost/ });
  t.strictSame(events, ['keys_resealed: by command: 3 values, some are left']);
  await t.rejects(resealKeys({ records, audit }), { message: /^no encryption key opens .*lost/ });
  t.strictSame(events.slice(1), ['keys_resealed: by command: 0 values, some are left']);
});

t.test('the same if the store becomes unavailable midway', async (t) => {
  const { records, audit, events } = await scene(t);
  const away: Records = {
    ...records,
    async countUnderOtherKeys() {
      throw new StorageUnavailable('out');
    },
  };
  await t.rejects(resealKeys({ records: away, audit }), StorageUnavailable);
  t.strictSame(events, ['keys_resealed: by command: 3 values, not finished']);
});

t.test('the same if another service seals with an old key in the meantime', async (t) => {
  const { records, open, drop, audit, events } = await scene(t);
  drop('lost');
  const behind = await open(old);
  let times = 0;
  const busy: Records = {
    ...records,
    async countUnderOtherKeys() {
      await behind.adoptSecret(`late ${times++}`, Buffer.alloc(32, 1));
      return records.countUnderOtherKeys();
    },
  };
  await t.rejects(resealKeys({ records: busy, audit }), {
    message: /^1 secrets were sealed with an old key in the meantime/,
  });
  t.strictSame(events, ['keys_resealed: by command: 5 values, some are left']);
});

t.test('a value that could not be opened, and that is gone in the next pass, causes no error', async (t) => {
  const { records, drop, audit, events } = await scene(t);
  const dropping: Records = {
    ...records,
    async countUnderOtherKeys() {
      drop('lost');
      return records.countUnderOtherKeys();
    },
  };
  t.match(await resealKeys({ records: dropping, audit }), { json: { resealed: 3, secrets: 3 } });
  t.strictSame(events, ['keys_resealed: by command: 3 values, nothing is left']);
  await resealKeys({ records, audit });
  t.equal(events.length, 1, 'nothing was done, and nothing is told');
});
