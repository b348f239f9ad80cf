import { type Command, Option } from 'commander';
import { printableJson, printableValue } from '../base/printable.ts';
import { formatForGithub } from '../config/files/format.ts';
import { readText } from '../config/files/read-text.ts';
import { formatProblems, loadAuthorizationConfig, loadGatewayConfig, type Problem } from '../config/load/load.ts';
import { membersOf } from '../config/rules/checks.ts';
import { staleSentence } from '../config/rules/feed.ts';
import { misfits } from '../config/rules/together.ts';
import { detectKind, type FileKind } from '../config/yaml/detect.ts';
import { checkFile } from './common/check-file.ts';

/** Judges configuration files as the programs would at start, and starts nothing. Exit status: 0 valid, 1 invalid. */
export function register(program: Command): void {
  program
    .command('check')
    .description('validate configuration files, and run their tests')
    .argument(
      '<file...>',
      'gateway or authorization files; which of the two is seen from their keys; both together: whether they fit',
    )
    .addOption(
      new Option('--format <format>', 'how problems are printed').choices(Object.keys(formats)).default('text'),
    )
    .option('--strict', 'exit 1 on a warning, too, as a pipeline may want')
    .action(run);
}

interface Options {
  readonly format: keyof typeof formats;
  readonly strict?: true;
}

async function run(files: readonly string[], { format, strict }: Options): Promise<void> {
  const results = withMisfits(await Promise.all(files.map(judge)));
  const problems = results.flatMap((result) => result.problems);
  process.stdout.write(formats[format](results));
  const hasFailed = strict === true ? problems.length > 0 : !isValid(problems);
  if (hasFailed) process.exitCode = 1;
  if (hasFailed && isValid(problems)) process.stderr.write(`gatehouse check: ${warnings(problems.length)}\n`);
}

function warnings(count: number): string {
  return `${count === 1 ? '1 warning fails' : `${count} warnings fail`} under --strict`;
}

interface Result {
  readonly file: string;
  readonly problems: readonly Problem[];
  /** What a valid file means, where that is easily overlooked. */
  readonly notes: readonly string[];
}

async function judge(file: string): Promise<Result> {
  const problems = await checkFile(file);
  return { file, problems, notes: isValid(problems) ? notesOf(file) : [] };
}

/** Files that are given together are meant for each other; what is wrong in one comes first. */
function withMisfits(results: readonly Result[]): readonly Result[] {
  const services = results.flatMap(({ file }) => {
    const loaded = isOf('authorization', file) ? loadAuthorizationConfig(file) : undefined;
    return loaded?.ok ? [loaded] : [];
  });
  return results.map((result) => {
    const loaded = services.length > 0 && isOf('gateway', result.file) ? loadGatewayConfig(result.file) : undefined;
    if (!loaded?.ok) return result;
    return { ...result, problems: [...result.problems, ...services.flatMap((service) => misfits(loaded, service))] };
  });
}

function isOf(kind: FileKind, file: string): boolean {
  const read = readText(file, { waits: true });
  return read.ok && detectKind(read.text) === kind;
}

function notesOf(file: string): readonly string[] {
  const loaded = isOf('gateway', file) ? loadGatewayConfig(file, process.env) : undefined;
  if (loaded?.ok !== true) return [];
  const servers = membersOf('authorization_servers', loaded.config.authorization_servers);
  return servers.map(staleSentence).filter((note) => note !== undefined);
}

const formats = {
  text: (results: readonly Result[]) => results.map(inWords).join(''),
  json: (results: readonly Result[]) => printableJson(results.flatMap(({ problems }) => problems)),
  github: (results: readonly Result[]) => results.map(({ problems }) => formatForGithub(problems)).join(''),
};

function inWords({ file, problems, notes }: Result): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const verdict = errors === 0 ? 'valid' : errors === 1 ? '1 error' : `${errors} errors`;
  return `${formatProblems(problems, process.stdout)}${[`${file}: ${verdict}`, ...notes].map(printableValue).join('\n')}\n`;
}

function isValid(problems: readonly Problem[]): boolean {
  return problems.every(({ severity }) => severity !== 'error');
}
