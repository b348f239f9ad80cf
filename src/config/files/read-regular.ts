import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export type Read = { readonly ok: true; readonly bytes: Buffer } | Unread;

export interface Unread {
  readonly ok: false;
  /** A message that follows the filename. */
  readonly reason: string;
  /** Absent: the file does not exist. */
  readonly hint?: string;
}

export interface ReadRules {
  /** Bytes. */
  readonly most: number;
  /**
   * True: reads a file without a size, such as a shell's pipe, until it ends. False: rejects it, for callers that cannot wait,
   * perhaps forever.
   */
  readonly waits: boolean;
}

/** Reads a whole file. A file over the limit is not read at all. */
export function readRegular(path: string, rules: ReadRules): Read {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, rules.waits ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NONBLOCK);
    return readOpen(descriptor, rules);
  } catch (error) {
    return unread(error as NodeJS.ErrnoException);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Does the same for an open descriptor, such as standard input. */
export function readDescriptor(descriptor: number, rules: ReadRules): Read {
  try {
    return readOpen(descriptor, rules);
  } catch (error) {
    return unread(error as NodeJS.ErrnoException);
  }
}

function readOpen(descriptor: number, { most, waits }: ReadRules): Read {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) return unread({ code: 'EISDIR' });
  if (!stats.isFile() && !waits) return pipe;
  const bytes = stats.size > most ? undefined : readUpTo(descriptor, most);
  return bytes === undefined ? tooLarge(stats.size, most) : { ok: true, bytes };
}

const pipe: Unread = {
  ok: false,
  reason: 'cannot be read: it is a pipe or a device',
  hint: 'name a regular file: the program reads it again at each change, and a pipe would block it',
};

const CHUNK = 64 * 1024;

/** The actual size may differ from the stated size: the file may grow meanwhile, and in /proc the stated size is 0. */
function readUpTo(descriptor: number, most: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  return undefined;
}

const MEBIBYTE = 1024 * 1024;

function tooLarge(size: number, most: number): Unread {
  const has = size > most ? `has ${(size / MEBIBYTE).toFixed(1)} MiB` : 'is too large';
  return {
    ok: false,
    reason: `${has}; the limit is ${most / MEBIBYTE} MiB`,
    hint: 'check that it is the intended file',
  };
}

interface Told {
  readonly why: string;
  readonly hint: string;
}

const denied: Told = {
  why: 'the program may not read it',
  hint: 'give the user of the program permission to read the file',
};
const words: Readonly<Record<string, Told>> = {
  EACCES: denied,
  EPERM: denied,
  EISDIR: { why: 'it is a directory', hint: 'name a file in it' },
  ENOTDIR: { why: 'a part of its path is a file, not a directory', hint: 'check each part of the path' },
  ELOOP: { why: 'its symbolic links form a loop', hint: 'point the link at a file' },
};

function unread({ code = 'invalid path' }: { readonly code?: string | undefined }): Unread {
  if (code === 'ENOENT') return { ok: false, reason: 'does not exist' };
  const told = words[code];
  if (told === undefined) return { ok: false, reason: `cannot be read (${code})`, hint: 'check the disk' };
  return { ok: false, reason: `cannot be read (${code}: ${told.why})`, hint: told.hint };
}
