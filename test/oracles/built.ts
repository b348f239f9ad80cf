import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Outside the clone, because built programs are not checked in, and `npm ci` deletes them. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/oracles/', import.meta.url));

export interface Build {
  readonly source: string;
  /** Commands that fill the given folder, run one after the other. */
  readonly commands: (folder: string) => readonly (readonly [program: string, ...args: string[]])[];
}

/**
 * The folder of a reader's built program, built once for each version of the source. A finished build is moved into
 * place as a whole, so files that run at the same time never see half of it.
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
