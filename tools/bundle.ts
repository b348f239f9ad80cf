// `npm run bundle [-- FOLDER]`: emits dist/ for the image, sources and packages together in a few files
// (docs/decisions/0020-the-image.md).
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { inOneChunk, sourcesInSmallChunks } from './small-chunks.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A file that is started by its path needs an entry of its own, beside the file that starts it. */
const entryPoints = {
  cli: 'src/cli.ts',
  'worker-main': 'src/supervisor/worker-main.ts',
  'password-worker': 'src/gateway/schemes/password-worker.ts',
  'paste-worker': 'src/gateway/console/questions/paste-worker.ts',
};

/** Bundled packages that are loaded only on first use, or only if they are installed. */
const external = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request', 'pg-native'];

/** Only the parts of undici that we use. */
const undiciInParts: Plugin = {
  name: 'undici in parts',
  setup: ({ onResolve }) => onResolve({ filter: /^undici$/ }, () => ({ path: join(root, 'tools/undici-parts.cjs') })),
};

/**
 * An import of `node:http` reads all of its exports. One of them is the browser's WebSocket, for which Node.js loads
 * its own undici with `fetch`: 13 MiB for every process. A module loaded with `require` exposes only the parts that are
 * used.
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

/** CommonJS packages load the modules of Node.js with `require`. */
const banner =
  "import { createRequire as forPackages } from 'node:module'; const require = forPackages(import.meta.url);";

/** How every bundle of the program is made, except the bundle of tools/single. */
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

/** `.mjs` says the format. For a file `.js`, Node.js would look for a `package.json` in each folder above it. */
const options = {
  ...bundled,
  entryPoints,
  splitting: true,
  metafile: true,
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  banner: { js: banner },
} satisfies BuildOptions;

/** Returns what esbuild tells of the files: which holds what, and which loads which. */
export async function bundle(folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  const outdir = join(folder, 'program');
  const { metafile: apart } = await build({ ...options, outdir, write: false });
  const { inject, plugin } = inOneChunk(sourcesInSmallChunks(apart, 'src/commands/gateway.ts'), root);
  const { metafile } = await build({ ...options, outdir, inject, plugins: [plugin, ...bundled.plugins] });
  // The modules that read these files are all in `program`.
  for (const pages of ['src/demo/page', 'src/gateway/console/console-page'])
    cpSync(join(root, pages), join(folder, 'program', basename(pages)), { recursive: true });
  writeFileSync(join(folder, 'cli.js'), "export { main } from './program/cli.mjs';\n");
  return metafile;
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(root, 'dist');
  await bundle(folder);
  console.log(`${folder}: cli.js and program/, sources and packages together`);
}
