// Runs before `npm start` and `npm test`: installs the packages of the lock file, once. Plain JavaScript, for any
// Node.js.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';
const current = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs;

if (!current) {
  console.log('Installing the dependencies that package-lock.json names (first run only) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(npm, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) {
    console.error('npm ci did not succeed: see its message above. Nothing was started.');
    process.exit(1);
  }
}
