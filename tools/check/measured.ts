// Which tests measure time or memory. They have their own processes. Other work distorts figures of time, and also
// figures of resident memory: a process with less of the core collects its garbage later. Such tests run alone, after
// all others. Nothing else imports these modules.
import { resolve } from 'node:path';
import { allImports } from './import-graph.ts';

const TIME = ['lateness', 'growth'].map((name) => `test/support/${name}.ts`).concat('test/faults/support/pace.ts');
const MEMORY = 'test/support/memory.ts';
/** Functions of MEMORY. */
const RESIDENT = /\b(?:resident|ownResident|highWater)\b/;

function reaches(file: string, names: readonly string[]): boolean {
  const files = new Set(names.map((name) => resolve(name)));
  return allImports(file).some(({ to }) => files.has(to));
}

function judgesResident(file: string): boolean {
  const memory = resolve(MEMORY);
  return allImports(file).some(({ to, names }) => to === memory && RESIDENT.test(names));
}

export function judgesTime(file: string): boolean {
  return reaches(file, TIME);
}

export function runsAlone(file: string): boolean {
  return judgesTime(file) || judgesResident(file);
}

export function isMeasured(file: string): boolean {
  return reaches(file, [...TIME, MEMORY]);
}
