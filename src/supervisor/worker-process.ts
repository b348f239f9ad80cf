import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ownProgram } from '../base/own-files.ts';
import { forkOwn } from '../base/own-programs.ts';
import { standardOutput } from '../base/turn-lines.ts';
import { type Handlers, type IpcChannel, openIpcChannel } from './ipc-channel.ts';
import type { PrimaryNews, PrimaryVerbs, WorkerNews, WorkerVerbs } from './messages.ts';

/** A worker as its primary sees it, while its process lives. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly line: IpcChannel<WorkerVerbs, WorkerNews>;
  /** False: the process has ended or is about to end, so it answers nothing. `over` follows. */
  readonly isConnected: boolean;
  /** Resolves with the reason when the worker has ended. */
  readonly over: Promise<string>;
  kill(): void;
}

export type WorkerHandlers = Handlers<PrimaryVerbs, PrimaryNews>;

const PROGRAM = ownProgram('worker-main', import.meta.url);

export function startWorkerProcess(handlers: WorkerHandlers): WorkerProcess {
  const child = forkOwn(PROGRAM, { execArgv: flags(), stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  passOn(child);
  return {
    pid: child.pid,
    line: openIpcChannel<WorkerVerbs, WorkerNews, PrimaryVerbs, PrimaryNews>(child, handlers),
    get isConnected() {
      return child.connected;
    },
    over: ended(child),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** The flags of this process, without those that let a signal open an inspector (`bin/gatehouse.js` says why). */
function flags(): string[] {
  return [...process.execArgv, '--disable-sigusr1'];
}

/** If several workers wrote to one pipe at once, they would break up each other's longer lines. */
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
