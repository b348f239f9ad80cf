import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Linux counts CPU time in hundredths of a second for every program (`getconf CLK_TCK`). */
const MICROSECONDS_PER_TICK = 10_000;

/** For a program to come up, milliseconds. */
const PATIENCE = 30_000;

const started = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** All of them accept connections once it is ready. */
  readonly ports: readonly number[];
  /** How often it is asked whether they do, milliseconds; 50 when absent. */
  readonly every?: number;
  /** File for its standard output, in which it is not looked at. */
  readonly output?: string;
}

/** Starts a program in the foreground; what it prints is shown only when it fails to come up. */
export async function start({ file, args, env = {}, ports, every = 50, output }: Command): Promise<ChildProcess> {
  const stdout = output === undefined ? 'pipe' : openSync(output, 'a');
  const child = spawn(file, args, { stdio: ['ignore', stdout, 'pipe'], env: { ...process.env, ...env } });
  if (typeof stdout === 'number') closeSync(stdout);
  const printed: string[] = [];
  child.on('error', (error) => printed.push(error.message));
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)));
  started.add(child);
  child.on('exit', () => started.delete(child));
  for (const began = performance.now(); performance.now() - began < PATIENCE; ) {
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error(`${file} did not start: ${printed.join('')}`);
    if ((await Promise.all(ports.map(accepts))).every(Boolean)) return child;
    await pause(every);
  }
  child.kill('SIGKILL');
  throw new Error(`${file} does not listen at ${ports.join(', ')}: ${printed.join('')}`);
}

/** SIGTERM, and SIGKILL when that does not help within 5 s. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(timer);
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}

/** CPU time of a process and everything below it so far, in microseconds. */
export function cpuTime(root: number): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
  let ticks = 0;
  for (const { pid, own } of processes) if (descends(pid, root, processes)) ticks += own;
  return ticks * MICROSECONDS_PER_TICK;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** User and system time, in ticks. */
  readonly own: number;
}

/** Empty for a process that ended meanwhile. The name in parentheses may hold spaces, so fields count from behind it. */
function readStat(name: string): Stat[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return [{ pid: Number(name), parent: fields[1] as number, own: (fields[11] as number) + (fields[12] as number) }];
  } catch {
    return [];
  }
}

function descends(pid: number, root: number, processes: readonly Stat[]): boolean {
  let at: number | undefined = pid;
  for (let depth = 0; at !== undefined && depth < 100; depth++) {
    if (at === root) return true;
    at = processes.find((each) => each.pid === at)?.parent;
  }
  return false;
}
