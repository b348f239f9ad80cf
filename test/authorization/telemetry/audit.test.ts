import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { buildAudit } from '../../../src/authorization/telemetry/audit.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { lineFile } from '../../../src/base/line-file.ts';
import { buildLog } from '../../../src/base/log.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { basic, collector, run, shop } from '../running-service.ts';

function setUp(t: Test, level = 'info') {
  const { sink, written } = collector();
  const file = join(temporaryFolder(t), 'audit.jsonl');
  return { file, log: buildLog({ level, format: 'json' }, sink), written, clock: settableClock() };
}

function lines(text: string): Record<string, unknown>[] {
  const whole = text.split('\n').filter((line) => line !== '');
  return whole.map((line) => JSON.parse(line));
}

const named = (text: string) => lines(text).map(({ sub }) => sub);

t.test('each event is a line of a file that only its owner can read, and that the first event creates', async (t) => {
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

t.test(
  'an event that cannot be written is in the log until the file is writable again',
  { skip: skipFull },
  async (t) => {
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
  },
);

t.test('a pipe is rejected as an audit file: a slow reader would block requests', async (t) => {
  const { file, log, clock } = setUp(t);
  spawnSync('mkfifo', [file]);
  const audit = buildAudit(file, clock, log);
  await t.rejects(audit.open(), { name: 'StorageUnusable', message: /^the audit file: it is not a regular file/ });
});

t.test('a cut line does not damage the next one', async (t) => {
  const { file, log, clock } = setUp(t);
  writeFileSync(file, '{"event":"log');
  const audit = buildAudit(file, clock, log);
  audit.record('login', { sub: 'a' });
  await audit.close();
  t.match(readFileSync(file, 'utf8'), /^\{"event":"log\n\{.*"sub":"a"\}\n$/);
});

t.test('while a disk does not answer, at most a mebibyte waits for it', async (t) => {
  const file = join(temporaryFolder(t), 'lines');
  const { promise: answers, resolve: answer } = Promise.withResolvers<boolean>();
  const appender = lineFile(file, systemClock, () => answers);
  const line = 'x'.repeat(1023);
  const lost: unknown[] = [];
  await appender.open();
  for (let count = 0; count < 3000; count++) appender.append(line, (fault) => lost.push(fault));
  t.ok(lost.length > 1900 && lost.length < 2000, `${lost.length} are given back at once`);
  t.equal(lost.findIndex(Boolean), -1, 'for want of room, not for a fault');
  answer(false);
  await appender.close();
  t.equal(statSync(file).size, (3000 - lost.length) * 1024);
});

t.test('without a file every event is in the log at any log level except silent', async (t) => {
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

t.test('refused attempts get two lines for each address and window, however many arrive', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log, { window: 3_600_000 });
  for (let index = 0; index < 2_000; index++) {
    audit.count('client_throttled', { client_id: 'shop', address: `2001:db8::${index.toString(16)}`, request_id: 'r' });
    audit.count('client_throttled', { client_id: 'other', address: '192.0.2.7', request_id: 'r' });
  }
  await audit.close();
  const told = lines(readFileSync(file, 'utf8')).map(({ client_id, count, request_id }) => [
    client_id,
    count,
    request_id,
  ]);
  t.strictSame(told, [
    ['shop', undefined, 'r'],
    ['other', undefined, 'r'],
    ['shop', 1_999, undefined],
    ['other', 1_999, undefined],
  ]);
});

t.test(
  'refused attempts from many addresses get a bounded number of lines a window, and all are counted',
  async (t) => {
    const { file, log, clock } = setUp(t);
    const audit = buildAudit(file, clock, log, { window: 3_600_000 });
    const FROM = 20_000;
    for (let index = 0; index < FROM; index++)
      audit.count('login_throttled', { username: 'alice', address: `2001:db8:${index.toString(16)}::1` });
    await audit.close();
    const told = lines(readFileSync(file, 'utf8'));
    t.ok(told.length <= 2_002, `${told.length} lines`);
    t.equal(
      told.reduce((sum, { count }) => sum + Number(count ?? 1), 0),
      FROM,
    );
  },
);

t.test('the line for all other attempts names no client, user or address', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log, { window: 3_600_000 });
  for (let index = 0; index < 1_500; index++) {
    const address = `2001:db8:${index.toString(16)}::1`;
    audit.count('login_throttled', { username: 'alice', sub: 'alice', address, request_id: 'r', detail: 'address' });
  }
  audit.count('client_throttled', { client_id: 'shop', address: '192.0.2.7' });
  await audit.close();
  const told = lines(readFileSync(file, 'utf8')).map(({ time: _time, ...facts }) => facts);
  t.strictSame(told.slice(1_000), [
    { event: 'login_throttled', detail: 'others' },
    { event: 'client_throttled', detail: 'others' },
    { event: 'login_throttled', detail: 'others', count: 499 },
  ]);
});

t.test('attempts that different limits refused are counted separately', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log, { window: 3_600_000 });
  for (const detail of ['address', 'address', 'account', 'account', 'account', undefined])
    audit.count('login_throttled', { username: 'alice', address: '192.0.2.7', detail });
  await audit.close();
  const told = lines(readFileSync(file, 'utf8')).map(({ detail, count }) => [detail, count]);
  t.strictSame(told, [
    ['address', undefined],
    ['account', undefined],
    [undefined, undefined],
    ['address', 1],
    ['account', 2],
  ]);
});

t.test('the count is reported when the window ends, and then starts again', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log, { window: 50 });
  await audit.open();
  const told = () => lines(readFileSync(file, 'utf8')).map(({ count }) => count);
  for (const before of [0, 2]) {
    for (let index = 0; index < 3; index++) audit.count('login_throttled', { username: 'alice', address: '192.0.2.7' });
    t.ok(await until(() => told().length === before + 2));
  }
  t.strictSame(told(), [undefined, 2, undefined, 2]);
  await audit.close();
});

t.test('for a client that keeps guessing, the log has the total and not a line for each guess', async (t) => {
  const service = await run(t, { config: { login: { max_failures: 3, window: 3_600_000 } } });
  const guess = () =>
    service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic({ ...shop, secret: 'no' }));
  for (let index = 0; index < 50; index++) await guess();
  await service.stop();
  const events = lines(service.logged()).filter(({ msg }) => msg === 'audit');
  t.strictSame(
    events.map(({ event, count }) => [event, count]),
    [
      ...Array.from({ length: 3 }, () => ['client_refused', undefined]),
      ['client_throttled', undefined],
      ['client_throttled', 46],
    ],
  );
});

const A_YEAR = 365 * 86_400_000;
const kept = { maxSize: 1_000, files: 3, maxAge: A_YEAR } as const;

/** Between a rename and the next line there is no file. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function writeEach(audit: ReturnType<typeof buildAudit>, file: string, names: readonly string[]): Promise<void> {
  for (const sub of names) {
    audit.record('login', { sub });
    // a line at a time, so that each is a write of its own
    await until(() => contentOf(file).includes(`"sub":"${sub}"`));
  }
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `user-${String(index).padStart(4, '0')}`);

t.test('a full audit file is renamed, the oldest is deleted, and no line of the others is lost', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log, { kept });
  await audit.open();
  const names = numbered(80);
  await writeEach(audit, file, names);
  await audit.close();
  const files = [3, 2, 1].map((number) => `${file}.${number}`);
  t.notOk(existsSync(`${file}.4`));
  const left = [...files, file].flatMap((each) => named(readFileSync(each, 'utf8')));
  t.ok(left.length < names.length, 'some went');
  t.strictSame(left, names.slice(-left.length), 'the newest, in their order');
  for (const each of files) {
    t.equal(statSync(each).mode & 0o777, 0o600);
    t.ok(statSync(each).size < 1_100, 'full, and a line at most');
  }
});

t.test('a renamed file is deleted when it is too old', async (t) => {
  const { file, log, clock } = setUp(t);
  const audit = buildAudit(file, clock, log, { kept });
  await audit.open();
  await writeEach(audit, file, numbered(20));
  t.ok(existsSync(`${file}.1`));
  clock.advance(A_YEAR + 60_000);
  await writeEach(audit, file, ['late']);
  await audit.close();
  t.notOk(existsSync(`${file}.1`));
});

t.test('a command beside the service, a link and `none` rename nothing, and every line is written', async (t) => {
  for (const how of ['command', 'link', 'none']) {
    const { file, log, clock } = setUp(t);
    if (how === 'link') symlinkSync(`${file}.real`, file);
    const audit = buildAudit(file, clock, log, { kept: how === 'none' ? { ...kept, maxSize: 'none' } : kept });
    if (how !== 'command') await audit.open();
    for (const sub of numbered(40)) audit.record('login', { sub });
    await audit.close();
    t.strictSame(named(readFileSync(file, 'utf8')), numbered(40), how);
    t.notOk(existsSync(`${file}.1`), how);
  }
});

t.test('if no file can be renamed the file keeps growing, the log says so once, and no line is lost', async (t) => {
  const { file, log, written: logged, clock } = setUp(t);
  mkdirSync(`${file}.1`);
  writeFileSync(join(`${file}.1`, 'in-the-way'), '');
  const audit = buildAudit(file, clock, log, { kept: { ...kept, files: 1 } });
  await audit.open();
  const told = () => lines(logged()).filter(({ msg }) => msg === 'cannot rotate or remove audit files');
  await writeEach(audit, file, numbered(40));
  t.equal(told().length, 1, 'one fault, though each write meets it');
  clock.advance(3_600_000);
  await writeEach(audit, file, ['late', 'later']);
  t.equal(told().length, 2, 'and it is not forgotten');
  await audit.close();
  t.strictSame(named(readFileSync(file, 'utf8')), [...numbered(40), 'late', 'later']);
});
