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
  /** Only the owner may look into its folder, where that is new. */
  readonly isInPrivateFolder: boolean;
}

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Takes back what was done. */
type Undo = () => void;

/**
 * Puts all files in place. If one cannot be written, nothing changes, and the result names it. Each file is first written
 * beside its place under a random name, so that no link can redirect it.
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

/** Whether anything has this name, be it a link that leads nowhere. */
export function isThere(path: string): boolean {
  return entryAt(path) !== undefined;
}

/** A path that cannot be read cannot be written either, and the write says why. */
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

/** What was there waits under another name until all are in place. */
function putInPlace(path: string, mark: string, undo: Undo[]): void {
  const there = entryAt(path);
  if (there?.isDirectory()) throw Object.assign(new Error('a folder has the name'), { code: 'EISDIR' });
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

/** One step that cannot be taken back must not keep the others from it. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // What is left over has a name of its own.
  }
}
