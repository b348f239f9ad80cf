import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { printableValue } from '../base/printable.ts';
import { readDescriptor, readRegular } from '../config/files/read-regular.ts';
import type { Imported } from './common/imported.ts';
import { htdigest } from './http-users/import-htdigest.ts';
import { htpasswd } from './http-users/import-htpasswd.ts';
import { type ImportOptions, importUsers } from './http-users/import-users.ts';
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
  const group = program.command('import').description('convert files of other programs to configuration');
  for (const { name, description, convert } of formats) {
    group
      .command(name)
      .description(description)
      .argument('<file>', 'the path of the file; - is standard input')
      .action((file: string) => run(file, convert));
  }
  registerUsers(group);
}

interface UserFile {
  readonly name: string;
  readonly description: string;
  readonly run: (source: Parameters<typeof importUsers>[1], options: ImportOptions) => Promise<void>;
}

const userFiles: readonly UserFile[] = [
  {
    name: 'htdigest',
    description: 'users of Digest from a file of Apache',
    run: (source, options) => importUsers(htdigest, source, options),
  },
  {
    name: 'htpasswd',
    description: 'users of Basic from a file of Apache, with hashes of bcrypt, Argon2id, apr1, {SHA} or {SSHA}',
    run: (source, options) => importUsers(htpasswd, source, options),
  },
];

function registerUsers(group: Command): void {
  for (const { name, description, run } of userFiles) {
    group
      .command(name)
      .description(description)
      .argument('<file>', 'the path of the file; - is standard input')
      .option('-c, --config <file>', 'authorization.yaml; write into its store instead of standard output')
      .option('--replace', 'with --config: existing users get the password of the imported file')
      .option('--json', 'print JSON')
      .action(async (file: string, options: ImportOptions) => {
        const text = read(file);
        if (text !== undefined) await run({ file, text }, options);
      });
  }
}

function run(file: string, convert: Format['convert']): void {
  const text = read(file);
  if (text === undefined) return;
  const imported = convert(text);
  if (imported.kind === 'yaml') process.stdout.write(imported.text);
  else giveUp(`${file}: ${imported.message}`);
}

/** Bytes. A document of this size has some 150,000 paths, and needs two gigabytes of memory. */
const LARGEST_FILE = 8 * 1024 * 1024;
const RULES = { most: LARGEST_FILE, waits: true };

function read(file: string): string | undefined {
  const found = file === '-' ? readDescriptor(0, RULES) : readRegular(file, RULES);
  if (found.ok && isUtf8(found.bytes)) return new TextDecoder().decode(found.bytes);
  giveUp(`${file} ${found.ok ? 'is not UTF-8' : found.reason}`);
  return undefined;
}

function giveUp(message: string): void {
  process.stderr.write(`gatehouse: ${printableValue(message)}\n`);
  process.exitCode = 1;
}
