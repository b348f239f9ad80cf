import { type Command, Option } from 'commander';
import { printableJson, printableValue } from '../base/printable.ts';
import { formatForGithub } from '../config/files/format.ts';
import { formatProblems, type Problem } from '../config/load/load.ts';
import { membersOf } from '../config/rules/checks.ts';
import { misfits, type SoundFile } from '../config/rules/cross-file-rules.ts';
import { staleSentence } from '../config/rules/feed.ts';
import type { AuthorizationConfig } from '../config/schema/authorization.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { inShadowMode } from '../gateway/generation/shadow-mode.ts';
import { judgeFile, type Loaders } from './common/check-file.ts';
import { noSecretsOption } from './common/config-option.ts';
import { loadAuthorization, loadGateway, type SecretsOption } from './common/no-secrets.ts';

/** Judges configuration files as the programs do at start, and starts nothing. Exit status: 0 valid, 1 invalid. */
export function register(program: Command): void {
  program
    .command('check')
    .description('validate configuration files, and run their tests')
    .argument(
      '<file...>',
      'gateway or authorization files, recognized by their keys; for one file of each kind, the command also checks that the two fit together',
    )
    .addOption(
      new Option('--format <format>', 'how problems are printed').choices(Object.keys(formats)).default('text'),
    )
    .option('--strict', 'also exit 1 on a warning, for pipelines')
    .addOption(noSecretsOption())
    .action(run);
}

interface Options extends SecretsOption {
  readonly format: keyof typeof formats;
  readonly strict?: true;
}

async function run(files: readonly string[], { format, strict, secrets }: Options): Promise<void> {
  const loaders: Loaders = {
    gateway: (file) => loadGateway(file, { secrets }),
    authorization: (file) => loadAuthorization(file, { secrets }),
  };
  const results = withMisfits(await Promise.all(files.map((file) => judge(file, loaders))));
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
  /** Effects of a valid file that an operator easily overlooks. */
  readonly notes: readonly string[];
  readonly gateway: SoundFile<GatewayConfig> | undefined;
  readonly authorization: SoundFile<AuthorizationConfig> | undefined;
}

async function judge(file: string, loaders: Loaders): Promise<Result> {
  const { problems, gateway, authorization } = await judgeFile(file, loaders);
  const sound = gateway?.ok ? gateway : undefined;
  return {
    file,
    problems,
    notes: isValid(problems) && sound !== undefined ? notesOf(sound.config) : [],
    gateway: sound,
    authorization: authorization?.ok ? authorization : undefined,
  };
}

/** Adds the faults between files of one command. Faults within one file come first. */
function withMisfits(results: readonly Result[]): readonly Result[] {
  const services = results.flatMap(({ authorization }) => authorization ?? []);
  return results.map((result) => {
    const { gateway, problems } = result;
    if (gateway === undefined) return result;
    return { ...result, problems: [...problems, ...services.flatMap((service) => misfits(gateway, service))] };
  });
}

function notesOf(config: GatewayConfig): readonly string[] {
  const servers = membersOf('authorization_servers', config.authorization_servers);
  const stale = servers.map(staleSentence).filter((note) => note !== undefined);
  return config.routes.some(inShadowMode(config)) ? [...stale, WORD_OF_CALLERS] : stale;
}

const WORD_OF_CALLERS =
  "In shadow mode, X-Auth-User, X-Forwarded-For and similar fields reach the API as callers write them. Even in shadow mode, the gateway removes the caller's fields that `identity_headers: { set }` names.";

const formats = {
  text: (results: readonly Result[]) => results.map(inWords).join(''),
  json: (results: readonly Result[]) => printableJson(results.flatMap(({ problems }) => problems)),
  github: (results: readonly Result[]) => results.map(({ problems }) => formatForGithub(problems)).join(''),
};

function inWords({ file, problems, notes }: Result): string {
  const verdict = [`${file}: ${verdictOf(problems)}`, ...notes].map(printableValue).join('\n');
  return `${formatProblems(problems, process.stdout)}${verdict}\n`;
}

function verdictOf(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return counted(errors, 'error');
  return problems.length === 0 ? 'valid' : `valid, with ${counted(problems.length, 'warning')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function isValid(problems: readonly Problem[]): boolean {
  return problems.every(({ severity }) => severity !== 'error');
}
