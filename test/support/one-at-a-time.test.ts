import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { oneAtATime } from './one-at-a-time.ts';

const script = fileURLToPath(new URL('one-at-a-time.ts', import.meta.url));

/** Writes that it begins and that it ends, with 50 ms between them. */
const turns = (lock: string, log: string) => `
  import { appendFileSync } from 'node:fs';
  import { oneAtATime } from ${JSON.stringify(script)};
  for (let turn = 0; turn < 4; turn++)
    oneAtATime(${JSON.stringify(lock)}, 20_000, () => {
      appendFileSync(${JSON.stringify(log)}, 'begin\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      appendFileSync(${JSON.stringify(log)}, 'end\\n');
    });`;

t.test('work of several processes happens one at a time', async (t) => {
  const folder = t.testdir();
  const [lock, log] = [join(folder, 'lock'), join(folder, 'log')];
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', turns(lock, log)];
  const processes = Array.from({ length: 3 }, () => spawn(process.execPath, flags, { stdio: 'inherit' }));
  const codes = await Promise.all(processes.map(async (each) => (await once(each, 'exit'))[0]));
  t.strictSame(codes, [0, 0, 0]);
  t.equal(readFileSync(log, 'utf8'), 'begin\nend\n'.repeat(12));
});

t.test('work that throws gives its turn to the next', (t) => {
  const lock = join(t.testdir(), 'lock');
  const fails = () => {
    throw new Error('no disk');
  };
  t.throws(() => oneAtATime(lock, 1, fails), { message: 'no disk' });
  t.equal(
    oneAtATime(lock, 1, () => 'done'),
    'done',
  );
  t.end();
});

t.test('a process that waits for too long says so', (t) => {
  const lock = join(t.testdir(), 'lock');
  const another = () => oneAtATime(lock, 20, () => 'done');
  t.throws(() => oneAtATime(lock, 1, another), { message: 'database is locked' });
  t.end();
});
