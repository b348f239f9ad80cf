import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t from 'tap';
import { allImports } from '../tools/check/import-graph.ts';
import { isMeasured, judgesTime, runsAlone } from '../tools/check/measured.ts';
import { needsOwnProcess } from '../tools/check/own-process.ts';
import { pureTests } from '../tools/check/pure.ts';

const files = globSync('test/**/*.test.ts').sort();

t.test('a test that measures time or memory is recognized by its direct or indirect imports', async (t) => {
  t.ok(judgesTime('test/flows/revocation.test.ts'), 'a helper judges for it');
  t.ok(judgesTime('test/faults/slow-clients.test.ts'));
  t.ok(isMeasured('test/flows/memory.test.ts') && !judgesTime('test/flows/memory.test.ts'));
  t.notOk(isMeasured('test/pure-tests.test.ts'));
});

t.test('a test of times or resident memory runs alone, and a test of the heap does not', async (t) => {
  const alone = ['flows/revocation', 'faults/client-aborts', 'flows/memory', 'flows/listener-http2-memory'].map(
    (name) => `test/${name}.test.ts`,
  );
  t.strictSame(alone.filter(runsAlone), alone);
  t.strictSame(['test/flows/digest-memory.test.ts', 'test/pure-tests.test.ts'].filter(runsAlone), []);
  const readsResident = (file: string) => /\brss\b/.test(readFileSync(file, 'utf8'));
  t.strictSame(
    files.filter((file) => readsResident(file) && !file.includes('measured-tests') && !runsAlone(file)),
    [],
  );
});

t.test('a test that changes how modules load has its own process', async (t) => {
  t.strictSame(files.filter(needsOwnProcess), ['test/mutation/run-file.test.ts', 'test/toys/scheme/signature.test.ts']);
});

t.test('npm run check contains no test that measures time or memory', async (t) => {
  t.strictSame(pureTests().filter(isMeasured), []);
});

/**
 * Pure files that read a clock and measure no speed: one blocks for a second, and the others check that something does
 * not happen too early.
 */
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

/** Lines that read how much a process uses; `test/support/memory.ts` does it for all others. */
const READS = /process\.memoryUsage|Vm(RSS|HWM)/;

t.test('only known memory tests read how much memory there is', async (t) => {
  const readers = new Set(
    globSync('test/**/*.ts')
      .filter((file) => !file.includes('measured-tests') && READS.test(readFileSync(file, 'utf8')))
      .map((file) => resolve(file)),
  );
  t.ok(readers.size > 1, 'some read it');
  const readsMemory = (file: string) => [resolve(file), ...allImports(file).map(({ to }) => to)].some(isReader);
  const isReader = (file: string) => readers.has(file);
  const wrong = files.filter((file) => !isMeasured(file) && readsMemory(file));
  t.strictSame(wrong, []);
});
