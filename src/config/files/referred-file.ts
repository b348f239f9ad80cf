import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readRegular } from './read-regular.ts';

/** Gets each file before it is read, existing or not, so that a watcher knows all of them. */
export interface FileNotes {
  add(file: string): unknown;
}

/** Where relative paths of a configuration file start, and who is told which files it turns out to refer to. */
export interface FileContext {
  readonly directory: string;
  readonly files?: FileNotes;
  /** Files that were already read, by full path, in base64. Then the disk is not read. */
  readonly contents?: Readonly<Record<string, string>> | undefined;
  /** Present: no secret is read. It gets each skipped variable and file. */
  readonly passedOver?: FileNotes | undefined;
}

export interface Unreadable {
  readonly ok: false;
  readonly message: string;
  readonly hint: string;
}

/**
 * Whether to skip a file. Without secrets, a file of secrets is never opened, and a missing file is assumed valid: it may
 * exist only where the program runs.
 */
export function passesOver(
  path: string,
  { directory, passedOver }: FileContext,
  holds: 'secrets' | 'no secret',
): boolean {
  if (passedOver === undefined) return false;
  if (holds === 'no secret' && existsSync(resolve(directory, path))) return false;
  passedOver.add(path);
  return true;
}

/** Bytes: a million users. */
const LARGEST = 64 * 1024 * 1024;

export function readReferred(
  path: string,
  { directory, files, contents }: FileContext,
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
