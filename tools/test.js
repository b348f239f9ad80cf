// `npm test`: the tests that open no socket and start no process, in one process; then the others, in a few processes; then, each
// in a process of its own, those that change how modules load, and one by one those that judge time or memory. It leaves out test/faults and test/peers, which
// `npm run test:faults` and `npm run test:peers` run. `npm test -- FILE …`: these, each in a process of its own.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { inProcesses } from './check/in-processes.ts';
import { isMeasured } from './check/measured.ts';
import { needsOwnProcess } from './check/own-process.ts';
import { pureTests } from './check/pure.ts';
import { inGroups } from './in-groups.js';
import { summary } from './report.ts';
import { environment } from './tap.ts';

const OF_OTHERS = /^test\/(faults|peers)\//;
const JOBS = 3;

/** Its exit status. */
async function everything() {
  const begun = performance.now();
  const pure = pureTests();
  const others = globSync('test/**/*.test.ts')
    .sort()
    .filter((file) => !OF_OTHERS.test(file) && !pure.includes(file));
  const command = 'node tools/check/run-pure.ts | node tools/reporter.js --one-process';
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit', env: environment() });
  const isAlone = (file) => isMeasured(file) || needsOwnProcess(file);
  const passed = await inProcesses(
    others.filter((file) => !isAlone(file)),
    JOBS,
  );
  console.log(summary());
  const statuses = [status ?? 1, passed ? 0 : 1, inGroups(others.filter(isAlone))];
  console.log(`npm test: ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
  return statuses.find((one) => one !== 0) ?? 0;
}

const given = process.argv.slice(2);
process.exitCode = given.length > 0 ? inGroups(given) : await everything();
