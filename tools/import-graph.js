// What a file of ours imports when it runs: type imports leave nothing behind.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A type import, or the specifier of one that runs. A dynamic import counts, also where it may never be reached. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?[^'"`;]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** @returns {readonly string[]} of one file, as written. */
export function specifiersOf(text) {
  return [...text.matchAll(IMPORT)].flatMap(([, isType, from, bare, dynamic]) =>
    isType ? [] : [from ?? bare ?? dynamic],
  );
}

const known = new Map();

/** @returns {readonly string[]} the files of ours as whole paths, everything else by its name. */
function importsOf(file) {
  const cached = known.get(file);
  if (cached !== undefined) return cached;
  const found = specifiersOf(readFileSync(file, 'utf8')).map((name) =>
    name.startsWith('.') ? resolve(dirname(file), name) : name,
  );
  known.set(file, found);
  return found;
}

const isCode = (name) => name.startsWith('/') && /\.[jt]s$/.test(name) && !name.endsWith('.d.ts');

/** @returns {ReadonlyMap<string, string | undefined>} everything that a file reaches, and by which file it was reached first. */
export function reached(file) {
  const by = new Map([[file, undefined]]);
  for (const [name] of by) {
    if (!isCode(name)) continue;
    for (const next of importsOf(name)) if (!by.has(next)) by.set(next, name);
  }
  return by;
}
