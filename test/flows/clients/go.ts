import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Peer } from './peer.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

interface Program {
  /** For the name of the binary. */
  readonly name: string;
  /** A folder of test/peers. */
  readonly module: string;
  readonly library: string;
  /** The minor version of the oldest Go that the module is for. */
  readonly oldest: number;
}

/** A program in Go. Its binary is kept between runs, until another version is pinned or the source changes. */
export function goPeer({ name, module, library, oldest }: Program): Peer {
  const folder = path(`../../peers/${module}`);
  const command = binary(name, folder);
  if (existsSync(command)) return { command, args: [] };
  const missing = unfit(folder, { library, oldest });
  if (missing !== undefined) return { missing };
  const build = go(folder, ['build', '-o', command, '.'], 160_000);
  if (!build.isDone) throw new Error(`go build: ${build.stderr}`);
  return { command, args: [] };
}

function binary(name: string, folder: string): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(folder, file)));
  return path(`../../../node_modules/.cache/gatehouse-${name}-${hash.digest('hex').slice(0, 16)}`);
}

function go(cwd: string, args: readonly string[], timeout: number) {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status, stdout, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8', timeout });
  return { isDone: status === 0, stdout, stderr };
}

function unfit(folder: string, { library, oldest }: Pick<Program, 'library' | 'oldest'>): string | undefined {
  const { isDone, stdout } = go(folder, ['env', 'GOVERSION'], 20_000);
  if (!isDone) return 'no go on the PATH';
  const minor = /^go1\.(\d+)/.exec(stdout)?.[1];
  if (minor === undefined || Number(minor) < oldest) return `go on the PATH is older than 1.${oldest}`;
  const download = go(folder, ['mod', 'download'], 60_000);
  return download.isDone ? undefined : `${library} cannot be downloaded: ${download.stderr.trim()}`;
}
