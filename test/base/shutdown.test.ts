import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shutdown = new URL('../../src/base/shutdown.ts', import.meta.url);

/** A program whose thread writes into a pipe that no program reads, and that never stops by itself. */
async function blocked(t: Test, deadline: number) {
  const directory = temporaryFolder(t);
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const program = `
    import { open } from 'node:fs/promises';
    const { stopOnSignal } = await import(${JSON.stringify(shutdown.href)});
    const print = (_, message) => console.log(message);
    const log = { info: print, error: print };
    process.once('exit', () => console.log('told at last'));
    stopOnSignal({ stop: () => new Promise(() => {}), deadline: ${deadline}, log });
    const handle = await open(${JSON.stringify(pipe)}, 'a+');
    void handle.write(Buffer.alloc(1024 * 1024));
    setInterval(() => {}, 1000);
    setTimeout(() => console.log('blocked'), 200);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await once(child.stdout, 'data');
  return { child, said: () => said, over: once(child, 'close') };
}

const skip = process.platform === 'win32' && 'this system has no such pipe';

t.test('after the deadline the process ends with 3, even if one of its threads is blocked', { skip }, async (t) => {
  const { child, said, over } = await blocked(t, 100);
  child.kill('SIGTERM');
  t.strictSame(await over, [3, null]);
  t.equal(said(), 'blocked\nstopping\ncould not stop within the deadline\ntold at last\n');
});

t.test('a second signal also ends such a process', { skip }, async (t) => {
  const { child, said, over } = await blocked(t, 600_000);
  child.kill('SIGTERM');
  await once(child.stdout, 'data');
  // Two signals within 300 ms count as one. A third one could end the program that returns the status.
  await pause(400);
  child.kill('SIGTERM');
  t.strictSame(await over, [3, null]);
  t.equal(said(), 'blocked\nstopping\ntold at last\n');
});
