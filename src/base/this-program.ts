import { isInside } from './own-files.ts';

const isSingle = isInside(new URL(import.meta.url));

/** The single executable ends at once with the status in the next argument. `node -e` would do the same. */
export const EXIT = 'executable:/exit';

/** Arguments with which `process.execPath` ends at once with `status`. */
export function exitArguments(status: number): readonly string[] {
  return isSingle ? [EXIT, String(status)] : ['-e', `process.exit(${status})`];
}

/** Full paths that start this program again: the single executable, or Node.js and its script. */
export function thisProgram(): readonly string[] {
  const [, script = 'bin/gatehouse.js'] = process.argv;
  return isSingle ? [process.execPath] : [process.execPath, script];
}
