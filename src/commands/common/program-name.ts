import { basename, isAbsolute, relative } from 'node:path';
import { shellWord } from '../../base/shell-word.ts';

/**
 * The command that starts this program again: `gatehouse` if it is installed, otherwise the path to it in a checkout, or to the
 * single executable. `script`: the value of `process.argv[1]`.
 */
export function programName(script = process.argv[1] ?? '', folder = process.cwd()): string {
  if (basename(script) !== 'gatehouse.js' && script !== process.execPath) return 'gatehouse';
  const path = relative(folder, script);
  return shellWord(path.startsWith('..') || isAbsolute(path) ? script : `./${path}`);
}
