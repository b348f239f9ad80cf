import { spawnSync } from 'node:child_process';

/** tap with our reporter; ends this process with its status. `env` goes above ours. */
export function tap(args, env = {}) {
  const { status } = spawnSync(
    process.platform === 'win32' ? 'tap.cmd' : 'tap',
    ['run', '--reporter=./tools/reporter.js', ...args],
    { stdio: 'inherit', shell: process.platform === 'win32', env: { ...process.env, ...env } },
  );
  process.exit(status ?? 1);
}
