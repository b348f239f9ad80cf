import type { Command } from 'commander';
import { versionLine } from '../base/package-file.ts';

/** `gatehouse version`: the same as `--version`, with the version of Node.js. */
export function register(program: Command): void {
  program
    .command('version')
    .description('print the versions of Gatehouse and Node.js')
    .action(() => void process.stdout.write(`${versionLine()}\n`));
}
