import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NewFile } from './files.ts';

export type Written = { readonly kind: 'written' } | { readonly kind: 'fault'; readonly message: string };

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** A sentence where one of them is in the folder. */
export function alreadyThere(folder: string, files: readonly Pick<NewFile, 'path'>[]): string | undefined {
  const there = files.filter(({ path }) => existsSync(join(folder, path))).map(({ path }) => path);
  if (there.length === 0) return undefined;
  return `there already: ${there.join(', ')}. Nothing is written; --force writes over what is there`;
}

/** Writes all of them, or, where one is there already and `force` was not said, none. */
export function writeFiles(folder: string, files: readonly NewFile[], force: boolean): Written {
  const there = force ? undefined : alreadyThere(folder, files);
  if (there !== undefined) return { kind: 'fault', message: there };
  try {
    for (const file of files) writeOne(join(folder, file.path), file);
    return { kind: 'written' };
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    return { kind: 'fault', message: `${path} cannot be written (${code})` };
  }
}

/** It is made anew, so that it has the rights of a new file, and no link leads elsewhere. */
function writeOne(path: string, { text, isSecret }: NewFile): void {
  mkdirSync(dirname(path), { recursive: true, ...(isSecret && { mode: PRIVATE_FOLDER }) });
  rmSync(path, { force: true });
  writeFileSync(path, text, { flag: 'wx', ...(isSecret && { mode: PRIVATE }) });
}
