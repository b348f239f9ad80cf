// The pure tests in two processes, as many as the cores that the loop is promised for. A process for each file would spend
// most of its time on loading, and a single process would leave a core idle.
import { inProcesses } from './in-processes.ts';
import { pureTests } from './pure.ts';

const PROCESSES = 2;

/** Whether all passed. report.ts prints what failed. */
export function runPure(): Promise<boolean> {
  return inProcesses(pureTests(), PROCESSES, { pure: true });
}
