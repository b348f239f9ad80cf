import { DatabaseSync } from 'node:sqlite';

/**
 * Runs work that two processes may not do at the same time. The lock is a transaction of SQLite, because the system
 * releases it when its process ends, however that ends. Waits for it for at most `patience` milliseconds, then throws.
 */
export function oneAtATime<T>(file: string, patience: number, work: () => T): T {
  const lock = new DatabaseSync(file, { timeout: patience });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    lock.close();
  }
}
