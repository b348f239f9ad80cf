import { cpuTimes, memory } from './children.ts';
import type { Measured } from './wrk.ts';

export interface UnderLoad extends Measured {
  /** Microseconds of CPU time a request, of the process and all its descendants. */
  readonly cpu: number;
  readonly user: number;
  readonly system: number;
  /** Resident after the load, MiB. */
  readonly memory: number;
}

/** What a load costs the process that answers it. */
export async function underLoad(pid: number, send: () => Promise<Measured>): Promise<UnderLoad> {
  const before = cpuTimes(pid);
  const measured = await send();
  const after = cpuTimes(pid);
  const user = (after.user - before.user) / measured.requests;
  const system = (after.system - before.system) / measured.requests;
  return { ...measured, cpu: user + system, user, system, memory: memory(pid).rss };
}
