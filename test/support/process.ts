import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { withChosen } from './chosen.ts';
import { programEnvironment } from './environment.ts';
import { freePort } from './free-port.ts';
import { launcher, sourceLauncher } from './launcher.ts';
import { connectTo } from './raw-client.ts';

/** A gateway in a separate process, as a user starts it. */
export interface GatewayProcess {
  readonly pid: number;
  readonly port: number;
  readonly running: boolean;
  /** Everything that it printed. */
  output(): string;
  /** SIGTERM, and SIGKILL if the process does not end within 10 s. Resolves with the exit status. */
  stop(): Promise<number | null>;
}

export interface ProcessOptions {
  /** Overrides the defaults of `base`. */
  readonly config: object;
  readonly env?: Record<string, string>;
  /**
   * Options of Node.js, which then gets no others: the options of the test runner would change the size and speed of
   * the process.
   */
  readonly flags?: readonly string[];
  /** `flags` or `env` loads a module that changes a class of the sources. */
  readonly isChanged?: boolean;
}

const base = { version: 1, log: { level: 'warn', format: 'json' } };

/** Resolves once it accepts connections. The caller stops it. */
export async function startProcess({ config, env = {}, flags, isChanged }: ProcessOptions): Promise<GatewayProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'gateway.yaml');
  const port = await freePort();
  writeFileSync(file, stringify({ ...base, listen: `127.0.0.1:${port}`, ...withChosen(config) }));
  const [program = '', ...args] = [
    ...runner(flags),
    isChanged ? sourceLauncher : launcher,
    'gateway',
    '--config',
    file,
  ];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: programEnvironment(env),
  });
  const printed: string[] = [];
  child.stdout.on('data', (chunk) => printed.push(String(chunk)));
  child.stderr.on('data', (chunk) => printed.push(String(chunk)));
  child.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  await listening(child, port, printed);
  return {
    pid: child.pid as number,
    port,
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    output: () => printed.join(''),
    stop: () => stop(child),
  };
}

/** The runner adds its own options to NODE_OPTIONS at each start, so they are removed after that. */
function runner(flags: readonly string[] | undefined): readonly string[] {
  return flags === undefined ? [process.execPath] : ['env', '-u', 'NODE_OPTIONS', process.execPath, ...flags];
}

async function listening(child: ChildProcess, port: number, printed: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error(`the gateway exited with ${child.exitCode}: ${printed.join('')}`);
    try {
      (await connectTo(port)).destroy();
      return;
    } catch {
      await pause(50);
    }
  }
  child.kill('SIGKILL');
  throw new Error(`the gateway does not listen: ${printed.join('')}`);
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
  return child.exitCode;
}

/** Log lines that report an exception. */
export function throws(output: string): string[] {
  return output.split('\n').filter((line) => /"level":(50|60)/.test(line) && line.includes('"err"'));
}
