import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** Snapshots of the heap of one process that starts with these flags of Node.js. */
export interface HeapSnapshots {
  readonly flags: readonly string[];
  /** Everything that is reachable in the process, as text: a snapshot begins with a full collection. */
  of(pid: number): Promise<string>;
}

export function heapSnapshots(t: Test): HeapSnapshots {
  const folder = temporaryFolder(t);
  const text = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  return {
    flags: ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`],
    async of(pid) {
      process.kill(pid, 'SIGUSR2');
      if (!(await until(() => text().trimEnd().endsWith('}')))) throw new Error('there is no snapshot');
      return text();
    },
  };
}
