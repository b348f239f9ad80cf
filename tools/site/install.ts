// Installs the generator beside the dependencies of the product, once for each lock file.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { place, stamp, tool } from './place.ts';

const lockFile = join(tool, 'package-lock.json');

/** Does nothing if the lock file is the installed one. Throws when npm fails, and then leaves no stamp. */
export function installGenerator(): void {
  const wanted = readFileSync(lockFile, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing the generator of the documentation site (first run only) …');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(tool, name), join(place, name));
  npmCi();
  writeFileSync(stamp, wanted);
}

function npmCi(): void {
  const isWindows = process.platform === 'win32';
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(isWindows ? 'npm.cmd' : 'npm', args, { cwd: place, stdio: 'inherit', shell: isWindows });
  if (status !== 0) throw new Error(`npm ci in ${place}: exit status ${status}. Its message above says why.`);
}
