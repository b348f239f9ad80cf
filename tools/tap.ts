import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const compiled = fileURLToPath(new URL('../node_modules/.cache/gatehouse-compiled', import.meta.url));

/** Of what runs tests: five hundred processes load the same modules, and each after the first finds them compiled. */
export function environment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: compiled, ...env };
}

/** tap with our reporter; its exit status. `env` goes above ours. */
export function tap(args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const { status } = spawnSync(
    process.platform === 'win32' ? 'tap.cmd' : 'tap',
    ['run', '--reporter=./tools/reporter.js', ...args],
    { stdio: 'inherit', shell: process.platform === 'win32', env: environment(env) },
  );
  return status ?? 1;
}
