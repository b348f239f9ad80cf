// `npm run bundle [-- FOLDER]`: emits dist/ as the image carries it, sources and packages together in a few files
// (docs/decisions/0020-the-image.md).
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is started by its path stands beside whatever starts it. */
const entryPoints = {
  cli: 'src/cli.ts',
  'worker-main': 'src/supervisor/worker-main.ts',
  'password-worker': 'src/gateway/schemes/password-worker.ts',
};

/** Of the packages that are bundled, what is asked for only where it is used, or installed. */
const external = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request', 'pg-native'];

/** Of undici only what is used. */
const undiciInParts: Plugin = {
  name: 'undici in parts',
  setup: ({ onResolve }) => onResolve({ filter: /^undici$/ }, () => ({ path: join(root, 'tools/undici-parts.js') })),
};

/** Packages in CommonJS ask for what Node.js brings. */
const banner =
  "import { createRequire as forPackages } from 'node:module'; const require = forPackages(import.meta.url);";

/** Returns what esbuild tells of the files: which holds what, and which loads which. */
export async function bundle(folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: join(folder, 'program'),
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24.15',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
    external,
    plugins: [undiciInParts],
    banner: { js: banner },
  });
  cpSync(join(root, 'src/demo/page'), join(folder, 'program/page'), { recursive: true });
  writeFileSync(join(folder, 'cli.js'), "export { main } from './program/cli.js';\n");
  return metafile;
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(root, 'dist');
  await bundle(folder);
  console.log(`${folder}: cli.js and program/, sources and packages together`);
}
