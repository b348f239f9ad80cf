import { exitArguments } from './this-program.ts';

/**
 * Ends this process with `status`, even if a thread hangs. `process.exit` waits for the thread pool, and a thread may hang in a
 * write to a blocked pipe or a lost disk. So another program replaces this one, which ends its threads, and returns the status.
 * A signal would lose the status.
 */
export function exitForCertain(status: number): never {
  // The last listener, so that all pending writes come first.
  process.once('exit', () => replaceBy(status));
  process.exit(status);
}

function replaceBy(status: number): void {
  const { execPath } = process;
  try {
    process.execve?.(execPath, [execPath, ...exitArguments(status)], {});
  } catch {
    // This system does not support it, or does not allow it.
  }
  process.kill(process.pid, 'SIGKILL');
}
