import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { GatewayProcess } from './process.ts';
import { until } from './until.ts';

const probe = fileURLToPath(new URL('heap-probe.ts', import.meta.url));

/** Options of Node.js for a process that reports its heap. */
export const probedFlags = ['--import', probe] as const;
/** The same as its environment. */
export const probed = { NODE_OPTIONS: probedFlags.join(' ') };

const LINE = /^heap in use (\d+)$/gm;

/** Bytes of heap that a process started with `probed` has in use after a collection. */
export async function heapInUse({ pid, output }: Pick<GatewayProcess, 'pid' | 'output'>): Promise<number> {
  const said = () => [...output().matchAll(LINE)];
  const before = said().length;
  process.kill(pid, 'SIGUSR2');
  if (!(await until(() => said().length > before))) throw new Error('the process does not tell of its heap');
  return Number(said().at(-1)?.[1]);
}

/** Bytes that this process uses, inside and outside of the heap. Garbage is collected first. */
export async function ownMemory(): Promise<NodeJS.MemoryUsage> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  // What a handle held is freed in a turn of the event loop.
  await turn();
  collect();
  return process.memoryUsage();
}

/** Bytes of resident memory of this process. Garbage is collected first. */
export async function ownResident(): Promise<number> {
  return (await ownMemory()).rss;
}

/** The highest resident memory of the process so far, in KiB. */
export function highWater(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
}

/** Bytes as a figure of a report. */
export const inMiB = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

/** Resident memory in KiB. */
export function resident(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}
