// `node tools/console-packages.ts`: copies the packages of the console's pages from node_modules. The gateway serves the copies, so no
// browser needs another origin. A test compares the copies with the packages.
import { cpSync } from 'node:fs';
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

const root = new URL('..', import.meta.url);

/** The copy and the original, as paths. */
export function pathsOf(copy: keyof typeof copies): { readonly copy: string; readonly original: string } {
  return {
    copy: fileURLToPath(new URL(`src/gateway/console/console-page/vendor/${copy}`, root)),
    original: fileURLToPath(new URL(`node_modules/${copies[copy]}`, root)),
  };
}

if (import.meta.main) {
  for (const name of Object.keys(copies) as (keyof typeof copies)[]) {
    const { copy, original } = pathsOf(name);
    cpSync(original, copy);
  }
}
