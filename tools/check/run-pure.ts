// All pure tests in this one process: a process for each would take five times as long.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import './guard.ts';
import t from 'tap';
import { isFullSize } from '../../test/support/long.ts';
import { changesSince, processState } from './process-state.ts';
import { pureTests } from './pure.ts';

const before = processState();
for (const file of pureTests()) {
  await import(pathToFileURL(resolve(file)).href);
  const changes = changesSince(before);
  if (changes.length > 0) t.fail(`${file} leaves its process changed: ${changes.join(', ')}`);
}
/** Milliseconds, for all of them together: each file has said what it needs alone. The sizes of .ci/run take minutes. */
t.setTimeout(isFullSize ? 1_800_000 : 300_000);
