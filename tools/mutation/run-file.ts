import { setImmediate as turn } from 'node:timers/promises';
import tap, { Test } from 'tap';
import { importFresh } from './fresh-modules.ts';

// tap's root for a process would end it after 30 s.
tap.setTimeout(0);

let fail: ((message: string) => void) | undefined;
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (cause) => fail?.(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)));

/** The first failure of a test file, as text; undefined if it passed. Never rejects. */
export async function runFile(file: string): Promise<string | undefined> {
  const failed = Promise.withResolvers<string>();
  fail = failed.resolve;
  try {
    return await Promise.race([failed.promise, whole(file)]);
  } catch (cause) {
    return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  }
}

/** With `bail`, the first failed assertion ends the file. Stryker decides how long the file may take. */
async function whole(file: string): Promise<string | undefined> {
  const root = new Test({ name: file, bail: true, timeout: 0 });
  const ended = new Promise<void>((resolve) => {
    root.on('end', () => resolve());
    root.on('bailout', () => resolve());
  });
  root.resume();
  await importFresh(file, root);
  root.end();
  await ended;
  await turn();
  if (root.results?.ok === true) return undefined;
  const [failure] = root.lists.fail;
  return failure?.fullname ?? failure?.name ?? 'failed';
}
