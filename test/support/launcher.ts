import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The `gatehouse` that tests start. `npm test` bundles it once (tools/tested-program.ts); a single file runs the sources. */
export const launcher = resolve(process.env.GATEHOUSE_PROGRAM || root, 'bin/gatehouse.js');

/** The sources, whatever the run has bundled: only there a module that a test loads first can change what a class does. */
export const sourceLauncher = resolve(root, 'bin/gatehouse.js');
