import { fileURLToPath } from 'node:url';
import type { GatewayProcess } from './process.ts';
import { until } from './until.ts';

const probe = fileURLToPath(new URL('heap-probe.ts', import.meta.url));

/** Environment of a process whose heap can be asked for. */
export const probed = { NODE_OPTIONS: `--import ${probe}` };

const LINE = /^heap in use (\d+)$/gm;

/** Bytes of heap that a process started with `probed` has in use after a collection. */
export async function heapInUse({ pid, output }: Pick<GatewayProcess, 'pid' | 'output'>): Promise<number> {
  const said = () => [...output().matchAll(LINE)];
  const before = said().length;
  process.kill(pid, 'SIGUSR2');
  if (!(await until(() => said().length > before, 20_000))) throw new Error('the process does not tell of its heap');
  return Number(said().at(-1)?.[1]);
}
