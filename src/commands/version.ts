import type { Command } from 'commander';
import { versionLine } from '../base/package-file.ts';

/** `gatehouse version`: as `--version`. */
export function register(program: Command): void {
  program
    .command('version')
    .description('print the version, and that of Node.js')
    .action(() => void process.stdout.write(`${versionLine()}\n`));
}
