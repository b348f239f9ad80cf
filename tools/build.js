// `npm run build`: emits dist/, the JavaScript that the npm package and the image carry.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const tsc = process.platform === 'win32' ? 'tsc.cmd' : 'tsc';
const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (status !== 0) process.exit(status ?? 1);
if (existsSync('src/storage/migrations'))
  cpSync('src/storage/migrations', 'dist/storage/migrations', { recursive: true });
cpSync('src/demo/page', 'dist/demo/page', { recursive: true });
