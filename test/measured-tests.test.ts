import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import t from 'tap';
import { allImports } from '../tools/check/import-graph.ts';
import { isMeasured, judgesTime } from '../tools/check/measured.ts';
import { needsOwnProcess } from '../tools/check/own-process.ts';
import { pureTests } from '../tools/check/pure.ts';

const files = globSync('test/**/*.test.ts').sort();

t.test('what judges time or memory is known by what it imports, through whatever it imports that', async (t) => {
  t.ok(judgesTime('test/flows/revocation.test.ts'), 'a helper judges for it');
  t.ok(judgesTime('test/faults/slow-clients.test.ts'));
  t.ok(isMeasured('test/flows/memory.test.ts') && !judgesTime('test/flows/memory.test.ts'));
  t.notOk(isMeasured('test/pure-tests.test.ts'));
});

t.test('what changes how modules load has a process of its own', async (t) => {
  t.strictSame(files.filter(needsOwnProcess), ['test/mutation/run-file.test.ts', 'test/toys/scheme/signature.test.ts']);
});

t.test('nothing that judges time or memory is in npm run check', async (t) => {
  t.strictSame(pureTests().filter(isMeasured), []);
});

/** Pure files that read a clock and judge no speed: one busy second, and what must not happen before its time. */
const WAIT = [
  'test/base/semaphore.test.ts',
  'test/gateway/client/deadlines.test.ts',
  'test/gateway/client/stalls.test.ts',
];

t.test('no test in npm run check reads how long something took', async (t) => {
  const reads = pureTests().filter((file) => /performance\.now|hrtime|cpuUsage/.test(readFileSync(file, 'utf8')));
  t.strictSame(
    reads.filter((file) => !file.includes('measured-tests')),
    WAIT,
  );
});

/** Lines that read what a process uses; `test/support/memory.ts` does it for all others. */
const READS = /process\.memoryUsage|Vm(RSS|HWM)/;

t.test('only what is known to judge memory reads how much there is', async (t) => {
  const reads = (file: string) => READS.test(readFileSync(file, 'utf8'));
  const own = (file: string) => [file, ...allImports(file).map(({ to }) => to)].map((each) => relative('.', each));
  const wrong = files.filter(
    (file) =>
      !isMeasured(file) &&
      own(file).some((each) => /^test\/.*\.ts$/.test(each) && !each.includes('measured-tests') && reads(each)),
  );
  t.strictSame(wrong, []);
});
