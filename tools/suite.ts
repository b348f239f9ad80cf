// How files that open sockets and start processes are run: most in a few processes that they share; then, each in a process of
// its own, those that change how modules load, and one by one those that judge time or memory.
import { inProcesses } from './check/in-processes.ts';
import { isMeasured } from './check/measured.ts';
import { needsOwnProcess } from './check/own-process.ts';
import { inGroups } from './in-groups.ts';
import { summary } from './report.ts';
import { withProgram } from './tested-program.ts';

/** One more than the cores that a run is planned for: a file often waits for a program. */
const JOBS = 3;

const isAlone = (file: string) => isMeasured(file) || needsOwnProcess(file);

/** Whether all passed. */
export function runSuite(files: readonly string[]): Promise<boolean> {
  return withProgram(async () => {
    const shared = await inProcesses(
      files.filter((file) => !isAlone(file)),
      JOBS,
    );
    console.log(summary());
    const alone = files.filter(isAlone);
    return (alone.length === 0 || inGroups(alone) === 0) && shared;
  });
}

/** Prints what a run took. */
export async function timed(name: string, run: () => Promise<boolean>): Promise<boolean> {
  const begun = performance.now();
  const passed = await run();
  console.log(`${name}: ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
  return passed;
}
