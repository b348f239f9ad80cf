// Which tests change how their process loads modules. A module that another file has loaded there would not load again.
import { allImports } from './import-graph.ts';

export function needsOwnProcess(file: string): boolean {
  return allImports(file).some(({ to, names }) => to === 'node:module' && names.includes('registerHooks'));
}
