import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The `gatehouse` that tests start. `npm test` bundles it once (tools/tested-program.ts). A single test file runs the
 * sources.
 */
export const launcher = resolve(process.env.GATEHOUSE_PROGRAM || root, 'bin/gatehouse.js');

/** The sources, even if the run has a bundle: only there can a preloaded module change a class. */
export const sourceLauncher = resolve(root, 'bin/gatehouse.js');
