import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';

/** Characters that fit in a table cell on one line. */
const LONGEST = 48;

/** The documents of tools/examples/FILE, which together have every key of that file. */
export function exampleDocuments(file: string): readonly string[] {
  const path = fileURLToPath(new URL(`examples/${file}`, import.meta.url));
  return parseAllDocuments(readFileSync(path, 'utf8')).map(String);
}

/** Path of a key, as docs/configuration.md writes it → an example of its value, on one line. */
export function examplesOf(file: string): ReadonlyMap<string, string> {
  const examples = new Map<string, string>();
  for (const [path, value] of exampleDocuments(file).flatMap((text) =>
    valuesBelow(parseAllDocuments(text)[0]?.toJS(), ''),
  ))
    if (!examples.has(path)) examples.set(path, brief(value));
  return examples;
}

/** Every value with its path. A key that may be a name the user chooses is also listed below `NAME`. */
function valuesBelow(value: unknown, path: string): (readonly [string, unknown])[] {
  const below = Array.isArray(value) ? value.map((each) => [`${path}[]`, each] as const) : keyed(value, path);
  return [[path, value], ...below.flatMap(([where, each]) => valuesBelow(each, where))];
}

function keyed(value: unknown, path: string): (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  const prefix = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([key, each]) => [
    [prefix + key, each] as const,
    [`${prefix}NAME`, each] as const,
  ]);
}

/** A long map or list is cut after its first entry. */
function brief(value: unknown): string {
  const whole = stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
  if (whole.length <= LONGEST || typeof value !== 'object' || value === null) return whole;
  if (Array.isArray(value)) return `[${brief(value[0])}${value.length > 1 ? ', …' : ''}]`;
  const [[key, first] = ['', '']] = Object.entries(value);
  return `{${key}: ${brief(first)}${Object.keys(value).length > 1 ? ', …' : ''}}`;
}
