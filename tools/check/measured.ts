// Which tests measure time or memory. Both need their own process. What measures time runs alone, after all others,
// because other work would distort the figures. Nothing else imports these modules.
import { resolve } from 'node:path';
import { allImports } from './import-graph.ts';

const TIME = ['lateness', 'growth'].map((name) => `test/support/${name}.ts`).concat('test/faults/support/pace.ts');
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
