import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { standardOutput } from '../base/turn-lines.ts';
import { type Handlers, type IpcChannel, openIpcChannel } from './ipc-channel.ts';
import type { PrimaryNews, PrimaryVerbs, WorkerNews, WorkerVerbs } from './messages.ts';

/** A worker as its primary sees it, for as long as its process lives. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly line: IpcChannel<WorkerVerbs, WorkerNews>;
  /** Resolves when it has ended, in words. */
  readonly over: Promise<string>;
  kill(): void;
}

export type WorkerHandlers = Handlers<PrimaryVerbs, PrimaryNews>;

/** In a build the sources have another ending. */
const FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './worker-main.ts' : './worker-main.js', import.meta.url),
);

export function startWorkerProcess(handlers: WorkerHandlers): WorkerProcess {
  const child = fork(FILE, [], { execArgv: flags(), stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  passOn(child);
  return {
    pid: child.pid,
    line: openIpcChannel<WorkerVerbs, WorkerNews, PrimaryVerbs, PrimaryNews>(child, handlers),
    over: ended(child),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Ours, and none by which a signal opens an inspector (`bin/gatehouse.js` says why). */
function flags(): string[] {
  return [...process.execArgv, '--disable-sigusr1'];
}

/** Several that write into one pipe at once would cut each other's longer lines. */
function passOn({ stdout }: ChildProcess): void {
  if (stdout === null) return;
  createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    standardOutput().write(`${line}\n`);
  });
}

async function ended(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit status ${code}` : signal;
  } catch (error) {
    return (error as Error).message;
  }
}
