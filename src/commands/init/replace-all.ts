import { randomBytes } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface Replacement {
  readonly path: string;
  readonly text: string;
  /** Only its owner may read it. */
  readonly isSecret: boolean;
  /** If its folder is new, only the owner may read the folder. */
  readonly isInPrivateFolder: boolean;
}

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Reverts a step. */
type Undo = () => void;

/**
 * Puts all files in place. If one cannot be written, nothing changes, and the result names this file. Each file is first
 * written beside its place under a random name, so that no link can redirect it.
 */
export function replaceAll(files: readonly Replacement[]): string | undefined {
  const mark = `.${randomBytes(8).toString('hex')}`;
  const undo: Undo[] = [];
  let at = '';
  try {
    for (const file of files) {
      at = file.path;
      writeBeside(file, mark, undo);
    }
    for (const { path } of files) {
      at = path;
      putInPlace(path, mark, undo);
    }
  } catch (error) {
    for (const each of undo.reverse()) attempt(each);
    return `${at} cannot be written (${(error as NodeJS.ErrnoException).code})`;
  }
  for (const { path } of files) attempt(() => rmSync(oldName(path, mark), { force: true }));
  return undefined;
}

/** True if anything has this name, even a broken link. */
export function isThere(path: string): boolean {
  return entryAt(path) !== undefined;
}

/** A path that cannot be read cannot be written either. The write reports the reason. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function writeBeside({ path, text, isSecret, isInPrivateFolder }: Replacement, mark: string, undo: Undo[]): void {
  const folder = dirname(path);
  const made = mkdirSync(folder, { recursive: true, ...(isInPrivateFolder && { mode: PRIVATE_FOLDER }) });
  if (made !== undefined) undo.push(() => rmdirSync(folder));
  const name = newName(path, mark);
  const handle = openSync(name, 'wx', isSecret ? PRIVATE : undefined);
  undo.push(() => rmSync(name, { force: true }));
  try {
    writeFileSync(handle, text, { flush: true });
  } finally {
    closeSync(handle);
  }
}

/** The existing file waits under another name until all files are in place. */
function putInPlace(path: string, mark: string, undo: Undo[]): void {
  const there = entryAt(path);
  if (there?.isDirectory()) throw Object.assign(new Error('there is a folder of this name'), { code: 'EISDIR' });
  if (there !== undefined) {
    renameSync(path, oldName(path, mark));
    undo.push(() => renameSync(oldName(path, mark), path));
  }
  renameSync(newName(path, mark), path);
  undo.push(() => rmSync(path));
}

function newName(path: string, mark: string): string {
  return `${path}${mark}.new`;
}

function oldName(path: string, mark: string): string {
  return `${path}${mark}.old`;
}

/** If one step cannot be reverted, the other steps are still reverted. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // A file that is left over has its own random name.
  }
}
