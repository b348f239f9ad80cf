import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Told of each file before it is read, whether it is there or not, so that who waits for a change looks at all. */
export interface FileNotes {
  add(file: string): unknown;
}

/** Where relative paths of a configuration file start, and who is told which files it turns out to refer to. */
export interface Place {
  readonly directory: string;
  readonly files?: FileNotes;
}

export interface Unreadable {
  readonly ok: false;
  readonly message: string;
  readonly hint: string;
}

export function readReferred(path: string, { directory, files }: Place): { ok: true; bytes: Buffer } | Unreadable {
  try {
    const full = resolve(directory, path);
    files?.add(full);
    return { ok: true, bytes: readFileSync(full) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? 'invalid path'})`;
    return { ok: false, message: `the file ${path} ${reason}`, hint: `paths are relative to ${directory}` };
  }
}
