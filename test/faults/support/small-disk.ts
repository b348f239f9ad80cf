import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A separate file system that can be full. */
export interface SmallDisk {
  readonly directory: string;
  /** Fills all the space that is left, and keeps filling space that becomes free. */
  fill(): void;
  free(): void;
}

/** Undefined: this user may not mount one. */
export function smallDisk(t: Test, megabytes: number): SmallDisk | undefined {
  const directory = temporaryFolder(t);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', directory]);
  if (mounted.status !== 0) return undefined;
  t.teardown(() => {
    // lazily: a program that is about to end may still have a file open there
    spawnSync('umount', ['--lazy', directory]);
  });
  const filler = join(directory, 'filler');
  const block = Buffer.alloc(4096, 1);
  return {
    directory,
    fill() {
      const descriptor = openSync(filler, 'a');
      try {
        for (;;) if (writeSync(descriptor, block) < block.length) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(filler, { force: true }),
  };
}

/** Whether this user may mount a file system. */
export function mounts(t: Test): boolean {
  return smallDisk(t, 1) !== undefined;
}
