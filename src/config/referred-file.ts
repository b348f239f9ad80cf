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
  /** Files as somebody else read them, by full path, in base64: then the disk is not asked. */
  readonly contents?: Readonly<Record<string, string>> | undefined;
}

export interface Unreadable {
  readonly ok: false;
  readonly message: string;
  readonly hint: string;
}

export function readReferred(
  path: string,
  { directory, files, contents }: Place,
): { ok: true; bytes: Buffer } | Unreadable {
  try {
    const full = resolve(directory, path);
    files?.add(full);
    const known = contents?.[full];
    if (known !== undefined) return { ok: true, bytes: Buffer.from(known, 'base64') };
    return { ok: true, bytes: readFileSync(full) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? 'invalid path'})`;
    return { ok: false, message: `the file ${path} ${reason}`, hint: `paths are relative to ${directory}` };
  }
}
