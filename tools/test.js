// `npm test [-- file …]`: tap with our reporter.
import { spawnSync } from 'node:child_process';

const args = ['run', '--reporter=./tools/reporter.js', ...process.argv.slice(2)];
const tap = process.platform === 'win32' ? 'tap.cmd' : 'tap';
const { status } = spawnSync(tap, args, { stdio: 'inherit', shell: process.platform === 'win32' });
process.exit(status ?? 1);
