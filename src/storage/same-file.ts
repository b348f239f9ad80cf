import { statSync } from 'node:fs';

/**
 * Whether the path still names the file that it names now. Throws where it names none. SQLite goes on writing to a file that was moved, deleted or
 * replaced, and what it commits there is gone with the process.
 */
export function sameFile(path: string): () => boolean {
  const opened = placeOf(path);
  return () => isThere(path, opened);
}

function placeOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

function isThere(path: string, place: string): boolean {
  try {
    return placeOf(path) === place;
  } catch {
    return false;
  }
}
