import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LIMIT } from './tap/patience.ts';

const compiled = fileURLToPath(new URL('../node_modules/.cache/gatehouse-compiled', import.meta.url));

/** A cache for test processes: five hundred of them load the same modules, and all but the first find them compiled. */
export function environment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: compiled, ...env };
}

/** Runs tap with our reporter, and returns its exit status. `env` overrides our variables. */
export function tap(args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const { status } = spawnSync(
    process.platform === 'win32' ? 'tap.cmd' : 'tap',
    ['run', '--reporter=./tools/reporter.js', `--timeout=${LIMIT / 1000}`, ...args],
    { stdio: 'inherit', shell: process.platform === 'win32', env: environment(env) },
  );
  return status ?? 1;
}
