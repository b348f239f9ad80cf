import { type SpawnSyncOptions, spawnSync } from 'node:child_process';

/** Runs a program to its end. Its output is that of this process, and a failure is an error. */
export function run(program: string, args: readonly string[], options: SpawnSyncOptions = {}): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? `status ${status}`}`);
}
