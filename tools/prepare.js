// tap generates its test class from the plugins of .taprc. Without development dependencies there is nothing to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('node_modules/tap/package.json')) {
  const tap = process.platform === 'win32' ? 'tap.cmd' : 'tap';
  const { status } = spawnSync(tap, ['build'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
