// What a file of ours imports at run time. Type imports do not count.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A dynamic import counts, even if the line may never run. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?([^'"`;]*?)from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** An import at run time. */
export interface Import {
  /** The importing file, absolute. */
  readonly by: string;
  /** A file of ours, absolute, or the name of a module. */
  readonly to: string;
  /** The clause as written, such as `{ createServer, type Server }`. */
  readonly names: string;
}

function importsIn(by: string): readonly Import[] {
  const resolved = (name: string) => (name.startsWith('.') ? resolve(dirname(by), name) : name);
  return [...readFileSync(by, 'utf8').matchAll(IMPORT)]
    .filter(([, isType]) => !isType)
    .map(([, , names = '', from, bare, dynamic]) => ({ by, names, to: resolved(from ?? bare ?? dynamic ?? '') }));
}

const known = new Map<string, readonly Import[]>();

function importsOf(file: string): readonly Import[] {
  const found = known.get(file) ?? importsIn(file);
  known.set(file, found);
  return found;
}

const isCode = (name: string) => name.startsWith('/') && /\.[jt]s$/.test(name) && !name.endsWith('.d.ts');

function closureOf(file: string): readonly Import[] {
  const found: Import[] = [];
  const files = new Set([file]);
  for (const by of files) {
    for (const each of importsOf(by)) {
      found.push(each);
      if (isCode(each.to)) files.add(each.to);
    }
  }
  return found;
}

const closures = new Map<string, readonly Import[]>();

/** Every import at run time that `file` leads to. */
export function allImports(file: string): readonly Import[] {
  const path = resolve(file);
  const found = closures.get(path) ?? closureOf(path);
  closures.set(path, found);
  return found;
}
