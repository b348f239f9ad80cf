import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readRegular } from './read-regular.ts';

/** Receives each filename before the file is read, even if the file is missing. So a watcher knows all files. */
export interface FileNotes {
  add(file: string): unknown;
}

/** The folder of relative paths, and the receiver of the files that a configuration refers to. */
export interface FileContext {
  readonly directory: string;
  readonly files?: FileNotes;
  /** Files that were already read, by full path, in base64. The disk is then not read. */
  readonly contents?: Readonly<Record<string, string>> | undefined;
  /** If present, no secret is read. It receives each skipped variable and file. */
  readonly skipped?: FileNotes | undefined;
  /** The text comes from a person who may not read files here. No file is opened, and none is looked for. */
  readonly isClosed?: boolean | undefined;
}

export interface Unreadable {
  readonly ok: false;
  readonly message: string;
  readonly hint: string;
}

/**
 * True if the file must be skipped. Without secrets, a file of secrets is never opened. A missing file counts as valid: it may
 * exist only where the program runs.
 */
export function passesOver(
  path: string,
  { directory, skipped, isClosed }: FileContext,
  holds: 'secrets' | 'no secret',
): boolean {
  if (skipped === undefined) return false;
  if (holds === 'no secret' && isClosed !== true && existsSync(resolve(directory, path))) return false;
  skipped.add(path);
  return true;
}

/** Bytes: enough for a million users. */
const LARGEST = 64 * 1024 * 1024;

const CLOSED =
  'for a pasted file, the gateway reads no other files; run `gatehouse check` on the machine that has them';

export function readReferred(
  path: string,
  { directory, files, contents, isClosed }: FileContext,
): { ok: true; bytes: Buffer } | Unreadable {
  if (isClosed === true) return { ok: false, message: `the file ${path} is not read here`, hint: CLOSED };
  const full = resolve(directory, path);
  files?.add(full);
  const known = contents?.[full];
  if (known !== undefined) return { ok: true, bytes: Buffer.from(known, 'base64') };
  const read = readRegular(full, { most: LARGEST, waits: false });
  if (read.ok) return read;
  const { reason, hint = `paths are relative to ${directory}` } = read;
  return { ok: false, message: `the file ${path} ${reason}`, hint };
}
