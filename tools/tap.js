import { spawnSync } from 'node:child_process';

/** tap with our reporter; its exit status. `env` goes above ours. */
export function tap(args, env = {}) {
  const { status } = spawnSync(
    process.platform === 'win32' ? 'tap.cmd' : 'tap',
    ['run', '--reporter=./tools/reporter.js', ...args],
    { stdio: 'inherit', shell: process.platform === 'win32', env: { ...process.env, ...env } },
  );
  return status ?? 1;
}
