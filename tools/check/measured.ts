// Which tests judge how long something takes, or how much memory. They run alone, after all others: what others do beside
// them is not what they judge. Nobody imports these for anything else.
import { resolve } from 'node:path';
import { allImports } from './import-graph.ts';

const TIME = ['test/support/lateness.ts', 'test/support/quickest.ts', 'test/faults/support/pace.ts'];
const MEMORY = ['test/support/memory.ts'];

function reaches(file: string, names: readonly string[]): boolean {
  const files = new Set(names.map((name) => resolve(name)));
  return allImports(file).some(({ to }) => files.has(to));
}

export function judgesTime(file: string): boolean {
  return reaches(file, TIME);
}

export function isMeasured(file: string): boolean {
  return reaches(file, [...TIME, ...MEMORY]);
}
