import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export type Read = { readonly ok: true; readonly bytes: Buffer } | Unread;

export interface Unread {
  readonly ok: false;
  /** Follows the name of the file. */
  readonly reason: string;
  /** Absent: there is no such file. */
  readonly hint?: string;
}

export interface ReadRules {
  /** Bytes. */
  readonly most: number;
  /**
   * A file without a size, such as a shell's pipe, is read until it ends. A caller that cannot wait that long, perhaps
   * forever, refuses it.
   */
  readonly waits: boolean;
}

/** The whole content of a file. Nothing is read of one that is larger than it may be. */
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

/** The same of what is open already, as standard input is. */
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
  hint: 'name a file: it is read again when it changes, and nothing else is done meanwhile',
};

const CHUNK = 64 * 1024;

/** What its size says need not be what is there: it may grow meanwhile, and in /proc it is 0. */
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
    reason: `${has}: no more than ${most / MEBIBYTE} MiB are read`,
    hint: 'check that it is the intended file',
  };
}

interface Told {
  readonly why: string;
  readonly hint: string;
}

const denied: Told = { why: 'this user may not read it', hint: 'give this user permission to read it' };
const words: Readonly<Record<string, Told>> = {
  EACCES: denied,
  EPERM: denied,
  EISDIR: { why: 'it is a directory', hint: 'name a file in it' },
  ENOTDIR: { why: 'its path leads through a file', hint: 'look at each part of the path' },
  ELOOP: { why: 'its symbolic links form a loop', hint: 'point the link at a file' },
};

function unread({ code = 'invalid path' }: { readonly code?: string | undefined }): Unread {
  if (code === 'ENOENT') return { ok: false, reason: 'does not exist' };
  const told = words[code];
  if (told === undefined) return { ok: false, reason: `cannot be read (${code})`, hint: 'look at the disk' };
  return { ok: false, reason: `cannot be read (${code}: ${told.why})`, hint: told.hint };
}
