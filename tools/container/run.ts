import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from './build.ts';

export interface RunOptions {
  /** Replaces CMD. */
  readonly args?: readonly string[];
  /** Replaces ENTRYPOINT. */
  readonly entrypoint?: readonly string[];
  /** Path in the tree → folder here, read-only. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Path of a VOLUME → folder here. Other volumes use the folder of the tree. */
  readonly volumes?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** For a test: why nothing can run here. */
export const skipWithoutMounts: false | string = whyNot() ?? false;

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'the container is for Linux';
  if (process.getuid?.() !== 0) return 'only root can mount a tree read-only, and become another user in it';
  const { status } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'true']);
  return status === 0 ? undefined : 'this machine lets nobody mount';
}

/**
 * Starts what an engine would: in a separate mount namespace with the tree as its root, read-only, as the image's user
 * and without a way to more rights. The network and the processes are those of this machine. There is no memory limit
 * and no seccomp profile, and the working directory is `/`.
 */
export function runImage(image: Image, options: RunOptions = {}): ChildProcess {
  const { args = image.cmd, entrypoint = image.entrypoint, env = {} } = options;
  const [user = '0', group = user] = image.user.split(':');
  const into = ['setpriv', '--no-new-privs', 'chroot', `--userspec=${user}:${group}`, `--groups=${group}`, image.root];
  const script = [
    'unset NODE_OPTIONS',
    ...mounting(image, options),
    `exec ${[...into, ...entrypoint, ...args].map(quoted).join(' ')}`,
  ];
  return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', script.join('\n')], {
    env: { PATH: process.env.PATH, ...image.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function mounting({ root, volumes }: Image, { mounts = {}, volumes: given = {} }: RunOptions): readonly string[] {
  const [lines, at] = [[`mount --bind ${quoted(root)} ${quoted(root)}`], (path: string) => join(root, path)];
  for (const path of Object.keys(mounts)) mkdirSync(at(path), { recursive: true });
  const bind = (from: string, to: string) => `mount --bind ${quoted(from)} ${quoted(at(to))}`;
  lines.push(`mount -o remount,bind,ro ${quoted(root)}`, bind('/proc', '/proc'), bind('/dev', '/dev'));
  for (const [path, from] of Object.entries(mounts))
    lines.push(bind(from, path), `mount -o remount,bind,ro ${quoted(at(path))}`);
  for (const path of volumes)
    lines.push(bind(given[path] ?? at(path), path), `mount -o remount,bind,rw ${quoted(at(path))}`);
  return lines;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
