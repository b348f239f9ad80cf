// `npm run build`: emits dist/, the JavaScript that the npm package contains. tools/bundle.ts makes the image's dist/.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const tsc = process.platform === 'win32' ? 'tsc.cmd' : 'tsc';
const { status, error } = spawnSync(tsc, ['-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (error !== undefined) console.error(`tsc does not start: ${error.message}. Is everything installed? npm ci`);
if (status !== 0) process.exit(status ?? 1);
for (const pages of ['demo/page', 'gateway/console/console-page'])
  cpSync(`src/${pages}`, `dist/${pages}`, { recursive: true });
