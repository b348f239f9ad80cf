import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { type Peer, peerTests } from './peer.ts';

/** Builds a program in Go first: a minute on a busy machine. */
t.setTimeout(240_000);

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const module = path('../../peers/go');

/** Kept between runs, until the pinned version or the source changes. */
function binary(): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(module, file)));
  return join(path('../../../node_modules/.cache'), `gatehouse-go-oauth2-${hash.digest('hex').slice(0, 16)}`);
}

/** The oldest Go that the module supports. */
const OLDEST = 18;

function go(args: readonly string[], timeout: number) {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status, stdout, stderr } = spawnSync('go', args, { cwd: module, env, encoding: 'utf8', timeout });
  return { isDone: status === 0, stdout, stderr };
}

function unfit(): string | undefined {
  const { isDone, stdout } = go(['env', 'GOVERSION'], 20_000);
  if (!isDone) return 'no go on the PATH';
  const minor = /^go1\.(\d+)/.exec(stdout)?.[1];
  if (minor === undefined || Number(minor) < OLDEST) return `go on the PATH is older than 1.${OLDEST}`;
  const download = go(['mod', 'download'], 60_000);
  return download.isDone ? undefined : `golang.org/x/oauth2 cannot be downloaded: ${download.stderr.trim()}`;
}

function prepare(): Peer {
  const command = binary();
  if (existsSync(command)) return { command, args: [] };
  const missing = unfit();
  if (missing !== undefined) return { missing };
  const build = go(['build', '-o', command, '.'], 160_000);
  if (!build.isDone) throw new Error(`go build: ${build.stderr}`);
  return { command, args: [] };
}

peerTests(t, 'golang.org/x/oauth2', prepare);
