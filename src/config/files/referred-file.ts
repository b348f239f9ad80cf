import { resolve } from 'node:path';
import { readRegular } from './read-regular.ts';

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

/** Bytes: a million users. */
const LARGEST = 64 * 1024 * 1024;

export function readReferred(
  path: string,
  { directory, files, contents }: Place,
): { ok: true; bytes: Buffer } | Unreadable {
  const full = resolve(directory, path);
  files?.add(full);
  const known = contents?.[full];
  if (known !== undefined) return { ok: true, bytes: Buffer.from(known, 'base64') };
  const read = readRegular(full, { most: LARGEST, waits: false });
  if (read.ok) return read;
  const { reason, hint = `paths are relative to ${directory}` } = read;
  return { ok: false, message: `the file ${path} ${reason}`, hint };
}
