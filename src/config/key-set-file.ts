import { type Read, readRegular } from './read-regular.ts';

const LARGEST = 1024 * 1024;

/** The bytes of a file of `jwks_file`. A pipe is refused: reading it might never end. */
export function readKeySetFile(path: string): Read {
  return readRegular(path, { most: LARGEST, waits: false });
}
