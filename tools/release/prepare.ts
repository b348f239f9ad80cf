import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dated } from './changelog.ts';
import { withVersion } from './places.ts';

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Writes a version into every place, and dates the changelog. Writes nothing if anything fails. Returns the files. */
export function prepare(root: string, version: string, day: string): readonly string[] {
  if (!VERSION.test(version)) throw new Error(`${JSON.stringify(version)} is no version: expected MAJOR.MINOR.PATCH`);
  const changelog = dated(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, day);
  const texts = { ...withVersion(root, version), 'CHANGELOG.md': changelog };
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(root, file), text);
  return Object.keys(texts);
}
