// Runs the pure tests in two processes, because `npm run check` promises its time for two cores. A process for each
// file would spend most of its time on loading, and a single process would leave a core idle.
import { inProcesses } from './in-processes.ts';
import { pureTests } from './pure.ts';

const PROCESSES = 2;

/** Returns whether all passed. report.ts prints what failed. */
export function runPure(): Promise<boolean> {
  return inProcesses(pureTests(), PROCESSES, { pure: true });
}
