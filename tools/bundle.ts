// `npm run bundle [-- FOLDER]`: emits dist/ as the image carries it, sources and packages together in a few files
// (docs/decisions/0020-the-image.md).
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));

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
  setup: ({ onResolve }) => onResolve({ filter: /^undici$/ }, () => ({ path: join(root, 'tools/undici-parts.cjs') })),
};

/**
 * Whoever imports `node:http` has all that it exports read, among it the WebSocket of a browser, for which Node.js loads its
 * own undici with `fetch` and all: 13 MiB of every process. A module that is asked for shows only what is used.
 */
const httpWithoutFetch: Plugin = {
  name: 'node:http without fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'asked-for' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'asked-for' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/** Packages in CommonJS ask for what Node.js brings. */
const banner =
  "import { createRequire as forPackages } from 'node:module'; const require = forPackages(import.meta.url);";

/** How every bundle of the program is made (tools/single has another one). */
export const bundled = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24.15',
  minifyWhitespace: true,
  lineLimit: 120,
  legalComments: 'none',
  logLevel: 'warning',
  external,
  plugins: [undiciInParts, httpWithoutFetch],
} satisfies BuildOptions;

/** Returns what esbuild tells of the files: which holds what, and which loads which. */
export async function bundle(folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...bundled,
    entryPoints,
    outdir: join(folder, 'program'),
    splitting: true,
    metafile: true,
    format: 'esm',
    chunkNames: '[name]-[hash]',
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
