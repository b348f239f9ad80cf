import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const traces = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** Undefined: it is available. */
export const noReadOnly = traces ? undefined : 'strace is not installed, or may not trace';

/** All calls that change a file or a folder. A program that opens one of these files does so to write. */
const CHANGES =
  'openat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,fallocate,unlink,unlinkat,rename,renameat,renameat2';

/**
 * Simulates for a process that the file system under its open files turns read-only, with the kernel's error (EROFS),
 * and back. It affects only these files, and uses strace, because a mount cannot do that to a file system with writers.
 * Resolves once it has an effect; the result ends it.
 */
export async function readOnly(t: Test, pid: number, files: readonly string[]): Promise<() => Promise<void>> {
  const paths = files.flatMap((file) => ['-P', file]);
  const inject = ['-e', `trace=${CHANGES}`, '-e', `inject=${CHANGES}:error=EROFS`];
  const child = spawn('strace', ['-f', '-p', String(pid), '-o', '/dev/null', ...paths, ...inject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'close');
  const end = async () => {
    child.kill('SIGTERM');
    await gone;
  };
  t.teardown(end);
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const isAttached = await until(() => /attached/.test(said) || child.exitCode !== null, 10_000);
  if (!isAttached || child.exitCode !== null) throw new Error(`strace: ${said}`);
  return end;
}

/** A disk whose file system can find itself broken. ext4 then accepts no more writes, even for open files. */
export interface FailingDisk {
  readonly directory: string;
  fail(): void;
  /** As an operator repairs it: forced unmount, check, mount. No program may have a file open there. */
  mend(): void;
}

/** Undefined: this user or this system has no such disk. */
export function failingDisk(t: Test): FailingDisk | undefined {
  const directory = temporaryFolder(t);
  const image = join(temporaryFolder(t), 'image');
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' });
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, directory).status === 0;
  if (run('truncate', '-s', '32M', image).status !== 0 || run('mkfs.ext4', '-q', '-F', image).status !== 0)
    return undefined;
  if (!mount()) return undefined;
  t.teardown(() => void run('umount', '--lazy', directory));
  const trigger = () =>
    `/sys/fs/ext4/${run('findmnt', '-no', 'SOURCE', directory).stdout.trim().replace('/dev/', '')}/trigger_fs_error`;
  if (!existsSync(trigger())) return undefined;
  return {
    directory,
    fail() {
      const { status, stderr } = run('sh', '-c', `echo 1 > ${trigger()}`);
      if (status !== 0) throw new Error(stderr);
    },
    mend() {
      run('umount', directory);
      const { status, stdout } = run('e2fsck', '-f', '-y', image);
      if (status === null || status > 1 || !mount()) throw new Error(stdout);
    },
  };
}

/** Whether the kernel reports that this folder is not writable. */
export function isReadOnly(directory: string): boolean {
  const line = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .findLast((each) => each.split(' ')[1] === directory);
  return /[ ,](?:ro|emergency_ro)[, ]/.test(line ?? '');
}
