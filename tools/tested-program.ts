// Bundles the program that tests start, once a run, as the image contains it. From the sources, each of a run's
// hundreds of processes would need three times the CPU time before it is ready.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Here the program finds packages that a bundle loads from where they are installed. */
const cache = join(root, 'node_modules/.cache');

/** Files that the program reads beside its code. */
const PARTS = ['bin', 'config', 'package.json'];

/** Runs `work` with GATEHOUSE_PROGRAM set to a folder like the package's. test/support/launcher.ts reads it. */
export async function withProgram<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'gatehouse-program-'));
  try {
    for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true });
    await bundle(join(folder, 'dist'));
    process.env.GATEHOUSE_PROGRAM = folder;
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
