import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { getRawAsset } from 'node:sea';

/** The scheme of every URL inside the single executable. `tools/single` gives it to the modules there, instead of `file:`. */
const INSIDE = 'executable:';

/** True if a file of this package is inside the executable of this process. */
export function isInside({ protocol }: URL): boolean {
  return protocol === INSIDE;
}

/** The content of a file of this package, by its URL relative to the module that reads the file. */
export function readOwnFile(file: URL): Buffer {
  return isInside(file) ? Buffer.from(getRawAsset(file.pathname)) : readFileSync(file);
}

/**
 * The program `name` beside the module with the URL `near`. In a build, both have a different extension than in the
 * sources.
 */
export function ownProgram(name: string, near: string): URL {
  return new URL(`${name}${extname(near)}`, near);
}
