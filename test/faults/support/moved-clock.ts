import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

export const skipWithoutFaketime = library === undefined && 'libfaketime is not installed';

/** The wall clock of a process and its children. Monotonic clocks do not change. */
export interface MovedClock {
  readonly env: Readonly<Record<string, string>>;
  /** Seconds by which it is ahead from now on. */
  move(by: number): void;
}

export function movedClock(t: Test, by = 0): MovedClock {
  const file = join(temporaryFolder(t), 'time');
  const move = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  move(by);
  const env = {
    LD_PRELOAD: library ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  return { env, move };
}
