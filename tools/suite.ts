// How the suite runs files that open sockets and start processes. Most run in a few shared processes. Then files that
// measure the heap, or change how modules load, run in their own processes. Files that must run alone run last.
import { inProcesses } from './check/in-processes.ts';
import { isMeasured } from './check/measured.ts';
import { needsOwnProcess } from './check/own-process.ts';
import { inGroups } from './in-groups.ts';
import { summary } from './report.ts';
import { withProgram } from './tested-program.ts';

/** Two more than the cores that a run is planned for, because a file often waits for a program. */
const JOBS = 4;

const hasOwnProcess = (file: string) => isMeasured(file) || needsOwnProcess(file);

/** Runs `jobs` files at a time. Returns whether all passed. */
export function runSuite(files: readonly string[], jobs = JOBS): Promise<boolean> {
  return withProgram(async () => {
    const shared = await inProcesses(
      files.filter((file) => !hasOwnProcess(file)),
      jobs,
    );
    console.log(summary());
    const others = files.filter(hasOwnProcess);
    return (others.length === 0 || inGroups(others) === 0) && shared;
  });
}

/** Prints how long a run took. */
export async function timed(name: string, run: () => Promise<boolean>): Promise<boolean> {
  const begun = performance.now();
  const passed = await run();
  console.log(`${name}: ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
  return passed;
}
