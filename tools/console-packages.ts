// `node tools/console-packages.ts`: copies the packages of the console's pages from node_modules. The gateway serves the copies, so no
// browser needs another origin. A test compares the copies with the packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The copy, and its file in node_modules. */
export const copies = {
  'htm.js': 'htm/dist/htm.module.js',
  'preact.js': 'preact/dist/preact.mjs',
  'preact-hooks.js': 'preact/hooks/dist/hooks.mjs',
  'signals.js': '@preact/signals/dist/signals.module.js',
  'signals-core.js': '@preact/signals-core/dist/signals-core.module.js',
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
} as const;

export type Copy = keyof typeof copies;

const root = new URL('..', import.meta.url);

export function pathOf(copy: Copy | typeof LICENSES): string {
  return fileURLToPath(new URL(`src/gateway/console/console-page/vendor/${copy}`, root));
}

/** The content of a copy: the file of the package, without the address of a source map, which is not delivered. */
export function contentOf(copy: Copy): string {
  const original = readFileSync(new URL(`node_modules/${copies[copy]}`, root), 'utf8');
  return original.replace(/\/\/# sourceMappingURL=\S*\n?/, '');
}

/** The licenses of the packages, which must be delivered with the copies. */
export const LICENSES = 'LICENSES.txt';

export function licenses(): string {
  const names = new Set(Object.values(copies).map((file) => /^(@[^/]+\/)?[^/]+/.exec(file)?.[0] as string));
  const parts = [...names].map(
    (name) => `${name}\n\n${readFileSync(new URL(`node_modules/${name}/LICENSE`, root), 'utf8').trim()}\n`,
  );
  return parts.join('\n----\n\n');
}

if (import.meta.main) {
  for (const name of Object.keys(copies) as Copy[]) writeFileSync(pathOf(name), contentOf(name));
  writeFileSync(pathOf(LICENSES), licenses());
}
