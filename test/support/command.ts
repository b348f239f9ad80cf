import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Test } from 'tap';
import { programEnvironment } from './environment.ts';
import { launcher } from './launcher.ts';
import { until } from './until.ts';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Whether the text was printed within the time. */
  prints(text: string, milliseconds?: number): Promise<boolean>;
  ended(): Promise<Ended>;
}

/** `gatehouse …` as a separate process, started by the launcher, and ended with the test at the latest. */
export function command(
  t: Test,
  args: readonly string[],
  { node = process.execPath, env = {}, flags = [] as readonly string[], cwd = process.cwd(), input = '' } = {},
): Command {
  const child = spawn(node, [...flags, launcher, ...args], {
    env: programEnvironment(env),
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // it may end before it has read everything
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await closed;
  });
  return {
    process: child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    prints: (text, milliseconds = 60_000) => until(() => output.stdout.includes(text), milliseconds),
    async ended() {
      await closed;
      return { status: child.exitCode, ...output };
    },
  };
}

/** Runs `gatehouse …` to its end, with this text on standard input. */
export async function commandReading(input: string | Uint8Array, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [launcher, ...args], { env: programEnvironment() });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (printed.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (printed.stderr += String(chunk)));
  // the process may end before it has read everything
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [status] = await once(child, 'close');
  return { status, ...printed };
}
