// What a file of ours imports at run time. Type imports do not count.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A type import, or the specifier of a real one. A dynamic import counts, even if the line may never run. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?[^'"`;]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** @returns {readonly string[]} of one file, as written. */
export function specifiersOf(text) {
  return [...text.matchAll(IMPORT)].flatMap(([, isType, from, bare, dynamic]) =>
    isType ? [] : [from ?? bare ?? dynamic],
  );
}

const known = new Map();

/** @returns {readonly string[]} our files as absolute paths, everything else by its name. */
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

/**
 * @returns {ReadonlyMap<string, string | undefined>} everything that a file reaches → the file from which it was first
 * reached.
 */
export function reached(file) {
  const by = new Map([[file, undefined]]);
  for (const [name] of by) {
    if (!isCode(name)) continue;
    for (const next of importsOf(name)) if (!by.has(next)) by.set(next, name);
  }
  return by;
}
