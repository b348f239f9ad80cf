import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const now = 1_800_000_000;
const token = (text: string) => ({
  hash: sha256(text),
  clientId: 'c',
  subject: 'c',
  username: undefined,
  scope: '',
  audience: [],
  claims: {},
  grantId: undefined,
  authTime: undefined,
  issuedAt: now,
  expiresAt: now + 60,
});

async function open(t: Test, busyDeadline?: number) {
  const directory = temporaryFolder(t);
  const commits: number[] = [];
  const records = await openRecords('sqlite:g.db', {
    directory,
    clock: systemClock,
    busyDeadline,
    onCommit: (writes) => commits.push(writes),
  });
  t.teardown(() => records.close());
  return { records, commits, other: () => new DatabaseSync(join(directory, 'g.db')) };
}

t.test('the writes of one turn share one commit', async (t) => {
  const { records, commits } = await open(t);
  await Promise.all(Array.from({ length: 100 }, (_, index) => records.saveAccessToken(token(`${index}`))));
  t.strictSame(commits, [100]);
  await records.ping(now);
  t.strictSame(commits, [100, 1]);
});

t.test('a write is answered after its commit: another connection sees it then, and not before', async (t) => {
  const { records, other } = await open(t);
  const reader = other();
  const count = () => reader.prepare('SELECT count(*) AS n FROM access_token').get()?.n;
  const saved = records.saveAccessToken(token('a'));
  t.equal(count(), 0);
  await saved;
  t.equal(count(), 1);
  reader.close();
});

t.test('while another process writes, a write waits without blocking the event loop', async (t) => {
  const { records, commits, other } = await open(t, 5000);
  const blocker = other();
  blocker.exec('BEGIN IMMEDIATE');
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  setTimeout(() => {
    blocker.exec('COMMIT');
    blocker.close();
  }, 1000);
  await Promise.all([records.saveAccessToken(token('a')), records.saveAccessToken(token('b'))]);
  clearInterval(ticking);
  t.strictSame(commits, [2]);
  t.ok(ticks > 30, `${ticks} ticks`);
  t.ok(await records.findAccessToken(sha256('a'), now));
});

t.test('a write that waited too long is an outage, and leaves nothing', async (t) => {
  const { records, other } = await open(t, 100);
  const blocker = other();
  blocker.exec('BEGIN IMMEDIATE');
  await t.rejects(records.saveAccessToken(token('a')), { name: 'StorageUnavailable' });
  blocker.exec('ROLLBACK');
  blocker.close();
  t.equal(await records.findAccessToken(sha256('a'), now), undefined);
  await records.saveAccessToken(token('a'));
  t.ok(await records.findAccessToken(sha256('a'), now));
});

t.test('a write that fails leaves nothing, and does not affect the writes that share its commit', async (t) => {
  const { records, commits } = await open(t);
  const [first, last] = [token('a'), token('b')];
  const grant = { id: 'g', clientId: 'c', subject: 'alice', username: 'alice', scope: '', audience: [] };
  const tokens = (access: typeof first) => ({
    grant: { ...grant, authTime: now, createdAt: now, expiresAt: now + 60, tokensUntil: now + 60 },
    access,
    refresh: undefined,
  });
  const outcomes = await Promise.allSettled([
    records.saveAccessToken(first),
    records.saveAccessToken(first),
    records.saveTokens(tokens(first)),
    records.saveAccessToken(last),
  ]);
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  t.strictSame(commits, [4]);
  t.ok(await records.findAccessToken(first.hash, now));
  t.ok(await records.findAccessToken(last.hash, now));
  await records.saveTokens(tokens(token('c')));
});
