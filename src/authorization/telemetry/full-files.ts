import type { FileHandle } from 'node:fs/promises';
import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The retention of a file that grows. */
export interface FileRetention {
  /** Bytes at which a file is full; `none`: never. */
  readonly maxSize: number | 'none';
  /** The number of full files beside it: `FILE.1`, `FILE.2` and so on. The highest number is the oldest. */
  readonly files: number;
  /** Milliseconds since the last line, after which a full file is removed; `none`: never. */
  readonly maxAge: number | 'none';
}

/** Renames a full file. False if the file is not full, or must not be renamed: a link, a pipe, a device. */
export async function putAside(file: string, handle: FileHandle, { maxSize, files }: FileRetention): Promise<boolean> {
  const { size, ino } = await handle.stat();
  if (maxSize === 'none' || size < maxSize) return false;
  const there = await lstat(file);
  if (!there.isFile()) return false;
  // Another process has already renamed it.
  if (there.ino !== ino) return true;
  const free = await firstFree(file, files);
  for (let number = free - 1; number >= 1; number--) await moveIfThere(`${file}.${number}`, `${file}.${number + 1}`);
  await rename(file, `${file}.1`);
  return true;
}

/** The first free number. The other files can move up to it without loss. The last number if all are taken. */
async function firstFree(file: string, files: number): Promise<number> {
  const taken = new Set((await fullFiles(file)).map(({ number }) => number));
  return Array.from({ length: files }, (_, index) => index + 1).find((number) => !taken.has(number)) ?? files;
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Removes full files that are too many or too old. `now`: milliseconds since the epoch. */
export async function removeOld(file: string, { files, maxAge }: FileRetention, now: number): Promise<void> {
  for (const { path, number } of await fullFiles(file)) {
    const isOld = maxAge !== 'none' && now - (await stat(path)).mtimeMs > maxAge;
    if (number > files || isOld) await rm(path, { force: true });
  }
}

async function fullFiles(file: string): Promise<readonly { path: string; number: number }[]> {
  const beginning = `${basename(file)}.`;
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(beginning));
  return names.flatMap((name) => {
    const number = name.slice(beginning.length);
    // A longer number is a date in another program's filename.
    return /^[1-9][0-9]{0,3}$/.test(number) ? [{ path: join(dirname(file), name), number: Number(number) }] : [];
  });
}
