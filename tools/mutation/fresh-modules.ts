import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Gives each test file fresh modules for each mutant. So tables and patterns that a module builds on load are mutated
 * too, and no state is carried over. A separate process would cost about ten times as much. With the files that a
 * change can reach, the other modules load once a process, because no change affects them.
 * The number is part of the query, which ends with the file's name: one module of src checks the end of its own URL.
 */
const numbered = /\?fresh=(\d+)\.ts$/;
const root = `${pathToFileURL(process.cwd())}/`;
const sources = new Map<string, string>();
const roots = new Map<string, unknown>();
let last = 0;

/** Absent: every file of src. */
const given = process.env.MUTATION_REACHING;
const reached = given === undefined ? undefined : new Set<string>(JSON.parse(given));

/** Files of the project that can differ for each change. */
function isNew(url: string): boolean {
  if (!url.startsWith(root) || url.includes('/node_modules/') || url.includes('?')) return false;
  const file = url.slice(root.length);
  return reached === undefined || !file.startsWith('src/') || reached.has(file);
}

/** Types are stripped once a process. */
function sourceOf(url: string): string {
  const known = sources.get(url);
  if (known !== undefined) return known;
  const stripped = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
  sources.set(url, stripped);
  return stripped;
}

registerHooks({
  resolve(specifier, context, next) {
    const fresh = numbered.exec(context.parentURL ?? '')?.[0];
    if (fresh !== undefined && specifier === 'tap') return { url: `fresh:tap${fresh}`, shortCircuit: true };
    const resolved = next(specifier, context);
    return fresh !== undefined && isNew(resolved.url) ? { ...resolved, url: `${resolved.url}${fresh}` } : resolved;
  },
  load(url, context, next) {
    const fresh = numbered.exec(url)?.[0];
    if (fresh === undefined) return next(url, context);
    if (url.startsWith('fresh:')) {
      const source = `export default globalThis[Symbol.for('mutation')].get(${JSON.stringify(fresh)});`;
      return { format: 'module', source, shortCircuit: true };
    }
    const plain = url.slice(0, -fresh.length);
    if (!plain.endsWith('.ts')) return next(plain, context);
    return { format: 'module', source: sourceOf(plain), shortCircuit: true };
  },
});
Object.defineProperty(globalThis, Symbol.for('mutation'), { value: roots });

/** Runs a file of the project with fresh modules. Its import of `tap` gets `root`. */
export async function importFresh(file: string, root: unknown): Promise<void> {
  const fresh = `?fresh=${++last}.ts`;
  roots.set(fresh, root);
  await import(`${pathToFileURL(process.cwd() + sep + file)}${fresh}`);
}
