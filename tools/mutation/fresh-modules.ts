import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Every test file of every mutant gets modules of its own, so that what is built when a module loads (tables, patterns)
 * is mutated too and no state is carried over. A process of its own would cost some ten times as much. With the files that
 * a change can reach given, the others are loaded once a process: they are the same for every change.
 *
 * The number rides in the query, which ends as the file does: one module of src looks at the end of its own URL.
 */
const numbered = /\?fresh=(\d+)\.ts$/;
const root = `${pathToFileURL(process.cwd())}/`;
const sources = new Map<string, string>();
const roots = new Map<string, unknown>();
let last = 0;

/** Absent: every file of src. */
const given = process.env.MUTATION_REACHING;
const reached = given === undefined ? undefined : new Set<string>(JSON.parse(given));

/** Of the project, and not the same for every change. */
function isNew(url: string): boolean {
  if (!url.startsWith(root) || url.includes('/node_modules/') || url.includes('?')) return false;
  const file = url.slice(root.length);
  return reached === undefined || !file.startsWith('src/') || reached.has(file);
}

/** Stripped once a process. */
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

/** Runs a file of the project with new modules; what it imports as `tap` is `root`. */
export async function importFresh(file: string, root: unknown): Promise<void> {
  const fresh = `?fresh=${++last}.ts`;
  roots.set(fresh, root);
  await import(`${pathToFileURL(process.cwd() + sep + file)}${fresh}`);
}
