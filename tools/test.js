// `npm test`: the tests that open no socket and start no process, in two processes, and then the others. Other commands
// run the rest: test:clients, test:shipped, test:faults and test:peers. `npm test -- FILE …` runs only these files, each
// in its own process.
import { runPure } from './check/pure-processes.ts';
import { inGroups } from './in-groups.ts';
import { summary } from './report.ts';
import { runSuite, timed } from './suite.ts';
import { socketTests } from './test-files.ts';

async function everything() {
  const purePassed = await runPure();
  console.log(summary());
  return (await runSuite(socketTests())) && purePassed;
}

const given = process.argv.slice(2);
const succeeded = given.length > 0 ? inGroups(given) === 0 : await timed('npm test', everything);
process.exitCode = succeeded ? 0 : 1;
