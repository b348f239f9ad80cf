import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { connectTo } from '../support/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The program of a reader, with a loopback port and a separate folder. */
export type Command = (port: number, folder: string) => readonly [program: string, ...args: string[]];

/** Starts it, and returns its port. It ends after the test, and its folder is deleted. */
export async function startReader(t: Test, command: Command): Promise<number> {
  const folder = temporaryFolder(t);
  const port = await freePort();
  const [program, ...args] = command(port, folder);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
  const over = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await over;
  });
  await listening(child, port, printed);
  return port;
}

async function listening(child: ChildProcess, port: number, printed: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 1200 && child.exitCode === null; attempt++) {
    try {
      (await connectTo(port)).destroy();
      return;
    } catch {
      await pause(50);
    }
  }
  throw new Error(`it does not listen: ${printed.join('')}`);
}
