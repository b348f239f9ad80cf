import { type Command, Option } from 'commander';
import { membersOf } from '../config/checks.ts';
import { staleSentence } from '../config/checks-feed.ts';
import { detectKind, type FileKind } from '../config/detect.ts';
import { formatForGithub } from '../config/format.ts';
import {
  formatProblems,
  type Loaded,
  loadAuthorizationConfig,
  loadGatewayConfig,
  type Problem,
} from '../config/load.ts';
import { readText } from '../config/read-text.ts';
import { misfits } from '../config/together.ts';
import { runTests } from '../gateway/dry/run-tests.ts';

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
    .action(async (files: string[], { format }: { format: keyof typeof formats }) => {
      const results = withMisfits(await Promise.all(files.map(judge)));
      process.stdout.write(formats[format](results));
      if (results.some(({ problems }) => !isValid(problems))) process.exitCode = 1;
    });
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
  json: (results: readonly Result[]) =>
    `${JSON.stringify(
      results.flatMap(({ problems }) => problems),
      null,
      2,
    )}\n`,
  github: (results: readonly Result[]) => results.map(({ problems }) => formatForGithub(problems)).join(''),
};

function inWords({ file, problems, notes }: Result): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const verdict = errors === 0 ? 'valid' : errors === 1 ? '1 error' : `${errors} errors`;
  return `${formatProblems(problems, process.stdout)}${[`${file}: ${verdict}`, ...notes].join('\n')}\n`;
}

/** Errors, or the warnings of a file without errors. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv = process.env): Promise<readonly Problem[]> {
  const read = readText(file, { waits: true });
  // One that cannot be read is told of by the loader.
  const kind = read.ok ? detectKind(read.text) : 'gateway';
  if (kind === undefined) return undecided(file);
  return kind === 'gateway' ? checkGateway(file, env) : told(loadAuthorizationConfig(file, env));
}

async function checkGateway(file: string, env: NodeJS.ProcessEnv): Promise<readonly Problem[]> {
  const loaded = loadGatewayConfig(file, env);
  return loaded.ok ? [...loaded.warnings, ...(await runTests(loaded))] : loaded.problems;
}

function told(loaded: Loaded<unknown>): readonly Problem[] {
  return loaded.ok ? loaded.warnings : loaded.problems;
}

function isValid(problems: readonly Problem[]): boolean {
  return problems.every(({ severity }) => severity !== 'error');
}

function undecided(file: string): readonly Problem[] {
  const hint = 'a gateway file has `routes` and `upstreams`, an authorization file has `issuer` and `clients`';
  return [
    { severity: 'error', file, line: 1, column: 1, message: 'neither a gateway file nor an authorization file', hint },
  ];
}
