import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Imported } from './imported.ts';
import { importOpenApi } from './openapi/import-openapi.ts';

interface Format {
  readonly name: string;
  readonly description: string;
  readonly convert: (text: string) => Imported;
}

const formats: readonly Format[] = [
  {
    name: 'openapi',
    description: 'a gateway file from the paths and the `security` of an OpenAPI 3 document, JSON or YAML',
    convert: importOpenApi,
  },
];

/** `gatehouse import FORMAT FILE`: writes to standard output. */
export function register(program: Command): void {
  const group = program.command('import').description('write configuration from files of others');
  for (const { name, description, convert } of formats) {
    group
      .command(name)
      .description(description)
      .argument('<file>', 'its path; - is standard input')
      .action((file: string) => run(file, convert));
  }
}

function run(file: string, convert: Format['convert']): void {
  const text = read(file);
  if (text === undefined) return;
  const imported = convert(text);
  if (imported.kind === 'yaml') process.stdout.write(imported.text);
  else giveUp(`${file}: ${imported.message}`);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    giveUp(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

function giveUp(message: string): void {
  process.stderr.write(`gatehouse: ${message}\n`);
  process.exitCode = 1;
}
