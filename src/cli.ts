import { Command, CommanderError } from 'commander';
import { versionLine } from './base/package-file.ts';
import { endIfReaderLeaves } from './commands/common/closed-output.ts';
import { errorStyle, helpStyle, styleCommands } from './commands/common/command-style.ts';
import { SecretValueError, USAGE } from './commands/common/usage-error.ts';

/** One row for each command. Its file registers its name, options and action. */
const commands: Readonly<Record<string, Load>> = {
  demo: () => import('./commands/demo.ts'),
  init: () => import('./commands/init.ts'),
  gateway: () => import('./commands/gateway.ts'),
  authorization: () => import('./commands/authorization.ts'),
  check: () => import('./commands/check.ts'),
  explain: () => import('./commands/explain.ts'),
  routes: () => import('./commands/routes.ts'),
  config: () => import('./commands/config.ts'),
  diff: () => import('./commands/diff.ts'),
  compile: () => import('./commands/compile.ts'),
  health: () => import('./commands/health.ts'),
  doctor: () => import('./commands/doctor.ts'),
  why: () => import('./commands/why.ts'),
  decisions: () => import('./commands/decisions.ts'),
  top: () => import('./commands/top.ts'),
  shadow: () => import('./commands/shadow.ts'),
  protect: () => import('./commands/protect.ts'),
  import: () => import('./commands/import.ts'),
  client: () => import('./commands/client.ts'),
  user: () => import('./commands/user.ts'),
  login: () => import('./commands/login.ts'),
  token: () => import('./commands/token.ts'),
  key: () => import('./commands/key.ts'),
  digest: () => import('./commands/digest.ts'),
  'api-key': () => import('./commands/api-key.ts'),
  'hash-password': () => import('./commands/hash-password.ts'),
  completion: () => import('./commands/completion.ts'),
  version: () => import('./commands/version.ts'),
};

type Load = () => Promise<{ register(program: Command): void }>;

/**
 * Loads only the named command, because other modules cost time and memory. Help, errors and `completion` need all
 * commands, and `--version` needs none.
 */
function toLoad(name = ''): readonly Load[] {
  if (name === '-v' || name === '--version') return [];
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return named === undefined || name === 'completion' ? Object.values(commands) : [named];
}

/** The help lists commands in the order of this table, each below its heading. */
const headings: Readonly<Record<string, readonly string[]>> = {
  'To begin:': ['demo', 'init', 'protect', 'import', 'completion', 'version'],
  'The two programs:': ['gateway', 'authorization'],
  'Commands that change nothing:': [
    'check',
    'explain',
    'routes',
    'config',
    'diff',
    'compile',
    'health',
    'doctor',
    'why',
    'decisions',
    'top',
    'shadow',
  ],
  'Commands for clients, users, tokens and keys:': [
    'client',
    'user',
    'login',
    'token',
    'key',
    'digest',
    'api-key',
    'hash-password',
  ],
};

const EXAMPLES = `
Examples:
  gatehouse protect http://127.0.0.1:9000 --issuer https://auth.example.com    put a gateway in front of an API, in shadow mode
  gatehouse check gateway.yaml authorization.yaml                              list every mistake, and every contradiction between the files
  gatehouse explain GET /orders/7 --scope orders.read                          show how the gateway would handle a request
`;

function putInOrder(program: Command): void {
  for (const [heading, names] of Object.entries(headings))
    for (const name of names) program.commands.find((each) => each.name() === name)?.helpGroup(heading);
}

/** The most common mistake: a file without its option. */
function forgotConfig(args: readonly string[], { code }: CommanderError): string | undefined {
  if (code !== 'commander.excessArguments' || args.some((arg) => /^(?:-c|--config(?:=|$))/.test(arg))) return undefined;
  const file = args.find((arg) => /\.ya?ml$/.test(arg));
  return file === undefined ? undefined : `Did you mean \`--config ${file}\`?\n`;
}

/** Commander has already printed its own errors and its help. */
function explained(args: readonly string[], error: CommanderError): string {
  if (error instanceof SecretValueError) return `error: ${error.message}\n${SEE_HELP}\n`;
  return forgotConfig(args, error) ?? '';
}

const SEE_HELP = '(see --help)';

/** `-V` is an old spelling. */
const OLD_SPELLINGS: ReadonlyMap<string | undefined, string> = new Map([['-V', '--version']]);

/** All commands of `gatehouse`, or only the command with this name. `name`: the first argument. */
export async function buildProgram(name?: string): Promise<Command> {
  const program = new Command('gatehouse')
    .description('OAuth 2.0 in front of an API that does not support it, and a service that issues the tokens')
    .version(versionLine(), '-v, --version', 'print the version')
    .configureHelp(helpStyle)
    .configureOutput(errorStyle)
    .exitOverride()
    .showHelpAfterError(SEE_HELP)
    .addHelpText('after', EXAMPLES);
  for (const load of toLoad(name)) (await load()).register(program);
  putInOrder(program);
  styleCommands(program);
  return program;
}

/** Exit status: 0 done; 1 could not start, or invalid; 2 usage; 3 stopped uncleanly; 141 the reader of the output left. */
export async function main(given: readonly string[]): Promise<void> {
  endIfReaderLeaves();
  const [first = '', ...rest] = given;
  const args = given.length === 0 ? given : [OLD_SPELLINGS.get(first) ?? first, ...rest];
  try {
    const program = await buildProgram(args[0]);
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.stderr.write(explained(args, error));
    process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  }
}
