import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addBlob } from './add-blob.ts';
import { makeBlob } from './blob.ts';
import { bundleSingle } from './bundle.ts';
import { run } from './run.ts';

/** Builds the single executable `file` from the Node.js of this process. Reports each step to `tell`. */
export async function buildSingle(file: string, tell: (line: string) => void): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-single-'));
  // A rename replaces a file even while it runs.
  const unfinished = `${file}.new`;
  try {
    tell('bundling sources and packages');
    await bundleSingle(scratch);
    tell('compiling');
    const blob = makeBlob(scratch);
    tell(`adding them to a copy of ${process.execPath}`);
    copyFileSync(process.execPath, unfinished);
    chmodSync(unfinished, 0o755);
    await addBlob(unfinished, blob);
    const version = run(unfinished, ['--version']).trim();
    renameSync(unfinished, file);
    tell(`${file}: ${version}, ${Math.round(statSync(file).size / 1e6)} MB`);
  } finally {
    for (const path of [scratch, unfinished]) rmSync(path, { recursive: true, force: true });
  }
}
