// Everything that the single executable runs, as two scripts in CommonJS: Node.js 24 takes no other form there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundled, root } from '../bundle.ts';

/** Where each module of the executable believes to be. A file of the package has the same place beside it as in an image. */
const PLACE = 'executable:/dist/program/gatehouse.js';

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

/** Writes the script `gatehouse.js`, and `password-worker.js` for the thread, into `folder`. */
export async function bundleSingle(folder: string): Promise<void> {
  const { external, plugins, ...options } = bundled;
  await build({
    ...options,
    entryPoints: {
      gatehouse: join(root, 'tools/single/program.ts'),
      'password-worker': join(root, 'src/gateway/schemes/password-worker.ts'),
    },
    outdir: folder,
    format: 'cjs',
    define: { 'import.meta.url': JSON.stringify(PLACE) },
    external: [...external, ...absent],
    plugins: [...plugins, packagesInside],
  });
}
