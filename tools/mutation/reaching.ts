import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { allImports } from '../check/import-graph.ts';

/**
 * The files of src that are changed, or that import a changed file directly or indirectly. Each change needs fresh
 * copies of their modules.
 */
export function reaching(changed: readonly string[]): readonly string[] {
  const whole = new Set(changed.map((file) => resolve(file)));
  return globSync('src/**/*.ts')
    .filter((file) => whole.has(resolve(file)) || allImports(file).some(({ to }) => whole.has(to)))
    .sort();
}
