import { spawnSync } from 'node:child_process';

/** The output of a program without the `NODE_OPTIONS` of this process. A failure is an error with what the program said. */
export function run(program: string, args: readonly string[], cwd?: string): string {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env, cwd });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `status ${status}\n${stderr}`}`);
  return stdout;
}
