/**
 * Ends this process with `status`, whatever its threads do: `process.exit` waits for those of the thread pool, and one that
 * writes to a pipe which nobody reads, or to a disk that is gone, never comes back. Another program takes the place of this
 * one, which ends them all, and gives the status; a signal would lose it.
 */
export function exitForCertain(status: number): never {
  // As the last of those who listen: what is still to be written is written before.
  process.once('exit', () => replaceBy(status));
  process.exit(status);
}

function replaceBy(status: number): void {
  const { execPath } = process;
  try {
    process.execve?.(execPath, [execPath, '-e', `process.exit(${status})`], {});
  } catch {
    // Not on this system, or not allowed.
  }
  process.kill(process.pid, 'SIGKILL');
}
