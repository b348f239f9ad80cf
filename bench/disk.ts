import { closeSync, existsSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './report.ts';

const TMPFS = 0x01021994;
const root = fileURLToPath(new URL('..', import.meta.url));

export const places = ['disk', 'tmpfs'] as const;
export type PlaceOfData = (typeof places)[number];

/** A new folder there; undefined if the machine has no such place. */
export function folderOn(place: PlaceOfData): string | undefined {
  const parent = parents[place]();
  return parent === undefined ? undefined : mkdtempSync(join(parent, 'gatehouse-bench-'));
}

const parents: Readonly<Record<PlaceOfData, () => string | undefined>> = {
  disk: () => [tmpdir(), root].find((folder) => !isTmpfs(folder)),
  tmpfs: () => ['/dev/shm', tmpdir()].find((folder) => existsSync(folder) && isTmpfs(folder)),
};

function isTmpfs(folder: string): boolean {
  return statfsSync(folder).type === TMPFS;
}

export interface SyncTime {
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
}

const SYNCS = 300;

/** How long it takes to make one page at the end of a file durable. Each commit waits at least that long. */
export function syncTime(folder: string): SyncTime {
  const name = join(folder, 'sync');
  const file = openSync(name, 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const began = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(name);
  return {
    median: median(times),
    p99: times.toSorted((one, other) => one - other)[Math.floor(SYNCS * 0.99)] as number,
  };
}
