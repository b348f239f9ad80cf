import { basename, isAbsolute, relative } from 'node:path';
import { shellWord } from '../../base/shell-word.ts';

/**
 * How a person who started this program can start it again: `gatehouse` where it is installed, and the path to it in a
 * checkout, where no such command exists. `script`: as `process.argv[1]` has it.
 */
export function programName(script = process.argv[1] ?? '', folder = process.cwd()): string {
  if (basename(script) !== 'gatehouse.js') return 'gatehouse';
  const path = relative(folder, script);
  return shellWord(path.startsWith('..') || isAbsolute(path) ? script : `./${path}`);
}
