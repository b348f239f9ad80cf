// Everything that the single executable runs, as two scripts in CommonJS: Node.js 24 takes no other form there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundled, root } from '../bundle.ts';

/** The URL of each module inside the executable. Files of the package have the same place beside it as in the image. */
const MODULE = 'executable:/dist/program/gatehouse.js';

/** The name of a file inside the executable, by its path relative to the modules. */
export function insideName(path: string): string {
  return new URL(path, MODULE).pathname;
}

/** Packages that try to load these can work without them. */
const absent = ['bufferutil', 'utf-8-validate'];

const REQUIRE = 'const require = createRequire(import.meta.url);';

/** A source finds packages for rare uses where they are installed. Here nothing is installed, so they are bundled too. */
const packagesInside: Plugin = {
  name: 'packages inside',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(REQUIRE, ''),
      loader: 'ts',
    })),
};

/** Writes the script `gatehouse.js`, and the programs of the threads, into `folder`. */
export async function bundleSingle(folder: string): Promise<void> {
  const { external, plugins, ...options } = bundled;
  await build({
    ...options,
    entryPoints: {
      gatehouse: join(root, 'tools/single/program.ts'),
      'password-worker': join(root, 'src/gateway/schemes/password-worker.ts'),
      'paste-worker': join(root, 'src/gateway/console/questions/paste-worker.ts'),
    },
    outdir: folder,
    format: 'cjs',
    define: { 'import.meta.url': JSON.stringify(MODULE) },
    external: [...external, ...absent],
    plugins: [...plugins, packagesInside],
  });
}
