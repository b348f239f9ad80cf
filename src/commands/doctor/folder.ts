import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { bad, doubtful, good, type Seen } from './finding.ts';

const MIB = 1024 * 1024;
/** Bytes: with less a commit may fail at any moment, and with less soon. */
const NONE = 16 * MIB;
const LITTLE = 256 * MIB;

/** Whether files can be made and grow there; a folder that is not there yet is judged by the one that it would be made in. */
export function judgeFolder(folder: string): Seen {
  const there = nearest(folder);
  if (!isWritable(there))
    return bad(`this user cannot write to ${there}`, `run it as the user that owns it, or chown ${there}`);
  const { bavail, bsize } = statfsSync(there);
  const free = bavail * bsize;
  const shown = `${Math.floor(free / MIB)} MiB are free`;
  if (free < NONE) return bad(`the disk is full: ${shown}`, 'make room, or move it to another disk');
  return free < LITTLE ? doubtful(shown, 'make room, or move it to another disk') : good(`can be written, ${shown}`);
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
