import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Not in the clone: what is built is not checked in, and `npm ci` begins with none. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/oracles/', import.meta.url));

export interface Build {
  readonly source: string;
  /** Commands that fill the folder that they are given, run one after the other. */
  readonly commands: (folder: string) => readonly (readonly [program: string, ...args: string[]])[];
}

/**
 * The folder with what a reader's program is built to, built once for each version of the source. It is moved into place
 * whole, so files that run side by side never see half of it.
 */
export function built({ source, commands }: Build): string {
  const stamp = createHash('sha256').update(readFileSync(source)).update(String(commands)).digest('hex').slice(0, 16);
  const folder = join(cache, stamp);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  for (const [program, ...args] of commands(made)) run(program, args);
  try {
    renameSync(made, folder);
  } catch {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 });
}
