import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { isInside, readOwnFile } from './own-files.ts';

/** A process of its own. The single executable starts itself, with the URL as argument. Its flags are inside. */
export function forkOwn(program: URL, options: ForkOptions): ChildProcess {
  return isInside(program) ? fork(program.href, { ...options, execArgv: [] }) : fork(program, options);
}

/** A thread of this process. */
export function ownThread(program: URL): Worker {
  return isInside(program) ? new Worker(readOwnFile(program).toString(), { eval: true }) : new Worker(program);
}
