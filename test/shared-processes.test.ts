import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { patient } from '../tools/tap/patience.ts';

/** Starts seventeen processes in turn, and some of their files wait for seconds: 16 s in all if nothing else runs. */
t.setTimeout(90_000);

/**
 * Files of test/fixtures/shared-process in one process after another, as `npm test` runs files: its status and lines.
 */
async function ran(...names: readonly string[]) {
  return ranWith('', ...names);
}

async function ranWith(patience: string, ...names: readonly string[]) {
  const program = `
    import { inProcesses } from './tools/check/in-processes.ts';
    const files = ${JSON.stringify(names.map((name) => `test/fixtures/shared-process/${name}.ts`))};
    process.exitCode = (await inProcesses(files, 1)) ? 0 : 1;`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    env: { ...process.env, GATEHOUSE_PATIENCE: patience },
  });
  const printed: string[] = [];
  child.stdout.on('data', (chunk) => printed.push(String(chunk)));
  child.stderr.resume();
  const [status] = await once(child, 'close');
  const lines = printed.join('').split('\n');
  const verdicts = lines.filter((line) => /^(ok|FAIL) /.test(line)).map((line) => line.replace(/ \d+ ms$/, ''));
  const failures = lines.filter((line) => line.startsWith('  not ok ')).map((line) => line.trim());
  return {
    report: { status, verdicts: verdicts.map((line) => line.replaceAll('test/fixtures/shared-process/', '')) },
    failures,
  };
}

t.test('a file begins when the previous one has ended, with its own options', async (t) => {
  t.strictSame((await ran('first', 'second')).report, { status: 0, verdicts: ['ok   first.ts', 'ok   second.ts'] });
});

for (const name of ['fails', 'throws', 'late'])
  t.test(`a file that ${name} fails, and the next one runs`, async (t) => {
    t.strictSame((await ran(name, 'first')).report, { status: 1, verdicts: [`FAIL ${name}.ts`, 'ok   first.ts'] });
  });

t.test('a file that exceeds its limit fails, and on a run with more patience it passes', async (t) => {
  t.strictSame((await ran('slow')).report, { status: 1, verdicts: ['FAIL slow.ts'] });
  const { report } = await ranWith('20', 'slow');
  t.strictSame(report, { status: 0, verdicts: ['ok   slow.ts'] });
});

t.test('also in its own process, a file that exceeds its limit fails, and with more patience it passes', async (t) => {
  const args = ['--import=./tools/tap/light.ts', 'test/fixtures/shared-process/slow.ts'];
  const statusWith = async (patience: string) => {
    const env = { ...process.env, GATEHOUSE_PATIENCE: patience };
    return (await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'close'))[0];
  };
  t.equal(await statusWith(''), 1);
  t.equal(await statusWith('20'), 0);
});

t.test('patience extends a limit to a quarter of an hour at most, and shortens none', async (t) => {
  t.strictSame(
    [30_000, 180_000, 600_000, 900_000, 3_600_000].map((limit) => patient(limit, 5)),
    [150_000, 900_000, 900_000, 900_000, 3_600_000],
  );
});

t.test('a file that ends the process fails, and the next one runs in another process', async (t) => {
  const verdicts = ['FAIL ends.ts', 'FAIL ends.ts: its process ended with 1', 'ok   first.ts'];
  t.strictSame((await ran('ends', 'first')).report, { status: 1, verdicts });
});

for (const name of ['aborts', 'ends-after-many'])
  t.test(`what failed before a process ends is reported: ${name}`, async (t) => {
    const { report, failures } = await ran(name);
    t.equal(report.status, 1);
    t.match(failures.join('\n'), 'the failure before it');
  });

t.test('a file that leaves clocks, globals or environment changed fails, by its name', async (t) => {
  const clocks = ['globalThis.clearInterval', 'globalThis.setInterval', 'node:timers.setInterval'];
  const others = ['node:timers.clearInterval', 'node:timers/promises.setInterval'];
  const left = [...clocks, ...others, 'process.env.GATEHOUSE_LEFT'].join(', ');
  t.strictSame((await ran('first', 'leaves')).report, {
    status: 1,
    verdicts: ['ok   first.ts', 'ok   leaves.ts', `FAIL leaves.ts leaves its process changed: ${left}`],
  });
});

t.test('a file that restores what it changed passes', async (t) => {
  t.strictSame((await ran('puts-back', 'first')).report, {
    status: 0,
    verdicts: ['ok   puts-back.ts', 'ok   first.ts'],
  });
});

/** The failed tests of a file of errors, and their errors, in a separate process with flags of Node.js. */
async function failuresOfErrors(...flags: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [...flags, 'test/fixtures/shared-process/errors.ts']);
  const printed: string[] = [];
  child.stdout.on('data', (chunk) => printed.push(String(chunk)));
  child.stderr.resume();
  await once(child, 'close');
  const failures = [...printed.join('').matchAll(/^ *not ok \d+ - (.*?)(?: # time=.*)?$/gm)].map(
    ([, name = '']) => name,
  );
  return [...new Set(failures)].sort();
}

for (const [name, flags] of [
  ['domain.ts', ['--import=./tools/tap/light.ts']],
  ['async-hook-domain', []],
] as const)
  t.test(`an error fails only the test that it comes from (${name})`, async (t) => {
    const failures = await failuresOfErrors(...flags);
    const errors = [
      'of a timer',
      'of a rejection',
      'of a child that is over',
      'of a returned promise',
      'of a connection',
    ];
    const tests = ['a timer', 'a rejection', 'a parent', 'a returned promise', 'a connection that a server accepted'];
    for (const each of [...errors, ...tests, 'timeout!', 'a limit of time']) t.ok(failures.includes(each), each);
    t.notOk(failures.includes('no error'));
  });
