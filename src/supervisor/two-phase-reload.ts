import type { Problem } from '../config/load/load.ts';
import type { SentGeneration } from './messages.ts';
import { SHUTDOWN_DEADLINE, type Worker } from './worker-lifecycle.ts';
import type { Crew } from './worker-pool.ts';

/** Activates one file: every worker prepares it, then all workers or none activate it. */
export interface TakeUp {
  /** Empty: every worker has what it needs. */
  prepare(): Promise<readonly Problem[]>;
  /** Resolves when every worker uses the file. */
  commit(): Promise<void>;
}

export function takeUp(sent: SentGeneration, crew: Crew): TakeUp {
  const ready = new Set<Worker>();
  const prepared = async (worker: Worker): Promise<Problem[]> => {
    const fault = await said(worker, worker.process.line.ask('prepare', sent, SHUTDOWN_DEADLINE));
    if (fault === null) ready.add(worker);
    // A lost worker is replaced by one that starts with the active configuration.
    return fault === null || fault === 'gone' ? [] : [problem(worker, fault)];
  };
  const committed = async (worker: Worker): Promise<void> => {
    const done = await said(worker, worker.process.line.ask('commit', sent.version, SHUTDOWN_DEADLINE));
    if (done === undefined) worker.process.kill();
  };
  return {
    async prepare() {
      const problems = (await Promise.all(crew.workers.map(prepared))).flat();
      // This also runs if the file was rejected or is still in progress, because the workers keep prepared parts.
      if (problems.length > 0)
        for (const { process } of crew.workers) void process.line.ask('discard', sent.version, SHUTDOWN_DEADLINE);
      return problems;
    },
    async commit() {
      // A worker that began to serve meanwhile has the previous file.
      const late = crew.workers.filter((worker) => !ready.has(worker));
      await Promise.all([...ready].map(committed));
      for (const worker of late) {
        if ((await prepared(worker)).length === 0) await committed(worker);
        else worker.process.kill();
      }
    },
  };
}

async function said<Told>({ process }: Worker, told: Promise<Told>): Promise<Told | 'gone'> {
  const answer = await Promise.race([told, process.over.then(() => 'gone' as const)]);
  // The channel of a killed process closes before its exit is noticed.
  return answer === undefined && !process.isConnected ? 'gone' : answer;
}

function problem({ index }: Worker, fault: string | undefined): Problem {
  const message = `worker ${index} cannot load the file: ${fault ?? 'no answer in time'}`;
  return { severity: 'error', file: '', line: 0, column: 0, message };
}
