import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { buildAudit } from '../../src/authorization/audit.ts';
import { lineFile } from '../../src/authorization/line-file.ts';
import { systemClock } from '../../src/base/clock.ts';
import { buildLog } from '../../src/base/log.ts';
import { settableClock } from '../support/settable-clock.ts';
import { until } from '../support/until.ts';
import { collector, temporaryDirectory } from './running-service.ts';

function setUp(t: Test, level = 'info') {
  const { sink, written } = collector();
  const file = join(temporaryDirectory(t), 'audit.jsonl');
  return { file, log: buildLog({ level, format: 'json' }, sink), written, clock: settableClock() };
}

function lines(text: string): Record<string, unknown>[] {
  const whole = text.split('\n').filter((line) => line !== '');
  return whole.map((line) => JSON.parse(line));
}

const named = (text: string) => lines(text).map(({ sub }) => sub);

t.test('each event is a line of a file that nobody else can read, which the first of them makes', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log);
  t.notOk(existsSync(file));
  audit.record('login', { sub: 'a' });
  audit.record('logout', { sub: 'a' });
  await audit.close();
  t.match(lines(readFileSync(file, 'utf8')), [{ event: 'login', sub: 'a' }, { event: 'logout' }]);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

const skipFull = !existsSync('/dev/full') && 'this system has no full device';

t.test('what cannot be written is in the log, until the file can be written again', { skip: skipFull }, async (t) => {
  const { file, log, written, clock } = setUp(t, 'error');
  symlinkSync('/dev/full', file);
  const audit = buildAudit(file, clock, log);
  await audit.open();
  for (const sub of ['a', 'b']) audit.record('login', { sub });
  await until(() => named(written()).includes('b'));
  audit.record('login', { sub: 'c' });
  t.match(lines(written()), [
    { level: 50, err: { code: 'ENOSPC' } },
    { level: 40, event: 'login', sub: 'a' },
    { level: 40, sub: 'b' },
    { level: 40, sub: 'c' },
  ]);
  rmSync(file);
  audit.record('login', { sub: 'd' });
  t.notOk(existsSync(file), 'not tried again within a second');
  clock.advance(1000);
  audit.record('login', { sub: 'e' });
  await audit.close();
  t.strictSame(named(readFileSync(file, 'utf8')), ['e']);
  t.strictSame(named(written()).filter(Boolean), ['a', 'b', 'c', 'd']);
});

t.test('a line that was cut off does not spoil the next one', async (t) => {
  const { file, log, clock } = setUp(t);
  writeFileSync(file, '{"event":"log');
  const audit = buildAudit(file, clock, log);
  audit.record('login', { sub: 'a' });
  await audit.close();
  t.match(readFileSync(file, 'utf8'), /^\{"event":"log\n\{.*"sub":"a"\}\n$/);
});

t.test('while a disk does not answer, no more than a mebibyte waits for it', async (t) => {
  const file = join(temporaryDirectory(t), 'pipe');
  const made = spawnSync('mkfifo', [file]);
  if (made.status !== 0) return void t.comment('no pipes with a name here: a slow disk is not looked at');
  const appender = lineFile(file, systemClock);
  const line = 'x'.repeat(1023);
  const lost: unknown[] = [];
  await appender.open();
  for (let count = 0; count < 3000; count++) appender.append(line, (fault) => lost.push(fault));
  t.ok(lost.length > 1900 && lost.length < 2000, `${lost.length} are given back at once`);
  t.equal(lost.findIndex(Boolean), -1, 'for want of room, not for a fault');
  let received = 0;
  const reader = createReadStream(file).on('data', (chunk) => {
    received += chunk.length;
  });
  await until(() => received === (3000 - lost.length) * 1024);
  await appender.close();
  reader.destroy();
});

t.test('without a file every event is in the log, however little else is; silent is silent', async (t) => {
  for (const [level, expected] of [
    ['warn', ['a']],
    ['fatal', ['a']],
    ['silent', []],
  ] as const) {
    const { log, written, clock } = setUp(t, level);
    buildAudit(undefined, clock, log).record('login', { sub: 'a' });
    t.strictSame(named(written()), expected, level);
  }
});
