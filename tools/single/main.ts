// `npm run single [-- FILE]`: one executable file with Node.js, the sources and the packages (docs/decisions/0032-one-file.md).
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { buildSingle } from './build.ts';

async function main(file: string): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error(`This tool builds executables only for Linux, and this is ${process.platform}. Run it on Linux.`);
  await buildSingle(resolve(file), (line) => console.log(line));
}

const program = new Command('single')
  .usage('[FILE]')
  .description('Builds one executable file that runs gatehouse where no Node.js is installed. It is for this platform.')
  .argument('[FILE]', 'the file to write', 'dist/gatehouse')
  .exitOverride()
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) console.error(`single: ${(error as Error).message}`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}
