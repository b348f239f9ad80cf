import { availableParallelism } from 'node:os';
import type { Command } from './children.ts';
import { isTool } from './tools.ts';

/**
 * Which part of a run uses which core. The measured program has a core of its own, and the load has another. With only
 * two cores, a database shares the core of the load. Without `taskset`, or on one core, the scheduler decides.
 */
export const cores = availableParallelism() > 1 && isTool('taskset') ? assigned(availableParallelism()) : undefined;

export type Part = 'contender' | 'load' | 'database';

function assigned(count: number): Readonly<Record<Part, number>> {
  return { contender: 0, load: 1, database: Math.min(2, count - 1) };
}

export function pinned(command: Command, part: Part): Command {
  if (cores === undefined) return command;
  return { ...command, file: 'taskset', args: ['-c', String(cores[part]), command.file, ...command.args] };
}
