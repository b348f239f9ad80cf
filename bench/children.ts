import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Linux counts CPU time in hundredths of a second for every program (`getconf CLK_TCK`). */
const MICROSECONDS_PER_TICK = 10_000;

/** Milliseconds that a program has to start, if its command names no other time. */
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
  /** Milliseconds between checks whether they do; 50 if absent. */
  readonly every?: number;
  /** Milliseconds that it has to start. */
  readonly patience?: number;
  /** File for its standard output, which is not read there. */
  readonly output?: string;
}

/** Starts a program in the foreground. Its output is shown only if it fails to start. */
export async function start({
  file,
  args,
  env = {},
  ports,
  every = 50,
  patience = PATIENCE,
  output,
}: Command): Promise<ChildProcess> {
  const stdout = output === undefined ? 'pipe' : openSync(output, 'a');
  const child = spawn(file, args, { stdio: ['ignore', stdout, 'pipe'], env: { ...process.env, ...env } });
  if (typeof stdout === 'number') closeSync(stdout);
  const printed: string[] = [];
  child.on('error', (error) => printed.push(error.message));
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)));
  started.add(child);
  child.on('exit', () => started.delete(child));
  for (const began = performance.now(); performance.now() - began < patience; ) {
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error(`${file} did not start: ${printed.join('')}`);
    if ((await Promise.all(ports.map(accepts))).every(Boolean)) return child;
    await pause(every);
  }
  child.kill('SIGKILL');
  throw new Error(`${file} does not listen at ${ports.join(', ')}: ${printed.join('')}`);
}

/** SIGTERM, and SIGKILL if the program does not end within 5 s. */
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

/** Microseconds, of a process and all its descendants. */
export interface CpuTime {
  readonly user: number;
  readonly system: number;
}

/** So far. Descendants that have ended no longer count. */
export function cpuTimes(root: number): CpuTime {
  const all = tree(root);
  const total = (part: 'user' | 'system') => all.reduce((sum, each) => sum + each[part], 0) * MICROSECONDS_PER_TICK;
  return { user: total('user'), system: total('system') };
}

/** User and system time together, so far, in microseconds. */
export function cpuTime(root: number): number {
  const { user, system } = cpuTimes(root);
  return user + system;
}

/** MiB, of a process and all its descendants. */
export interface Memory {
  /** Resident. Memory that several processes share counts in each. */
  readonly rss: number;
  /** Resident. Memory that several processes share, in this tree or not, is divided between them. */
  readonly pss: number;
}

export function memory(root: number): Memory {
  const texts = tree(root).flatMap(({ pid }) => readOf(pid, 'smaps_rollup'));
  const total = (field: string) =>
    texts.reduce((sum, text) => sum + Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0), 0) /
    1024;
  return { rss: total('Rss'), pss: total('Pss') };
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** In ticks. */
  readonly user: number;
  readonly system: number;
}

function tree(root: number): readonly Stat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readOf(Number(name), 'stat').map((text) => parseStat(Number(name), text)));
  return all.filter(({ pid }) => descends(pid, root, all));
}

/** Empty for a process that has ended in the meantime. */
function readOf(pid: number, file: string): string[] {
  try {
    return [readFileSync(`/proc/${pid}/${file}`, 'latin1')];
  } catch {
    return [];
  }
}

/** The name in parentheses may contain spaces, so fields count from the end of the name. */
function parseStat(pid: number, text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]];
  return { pid, parent, user, system };
}

function descends(pid: number, root: number, all: readonly Stat[]): boolean {
  let at: number | undefined = pid;
  for (let depth = 0; at !== undefined && depth < 100; depth++) {
    if (at === root) return true;
    at = all.find((each) => each.pid === at)?.parent;
  }
  return false;
}
