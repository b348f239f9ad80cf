// Which tests change how their process loads modules: what another file has loaded there is not loaded again.
import { allImports } from './import-graph.ts';

export function needsOwnProcess(file: string): boolean {
  return allImports(file).some(({ to, names }) => to === 'node:module' && names.includes('registerHooks'));
}
