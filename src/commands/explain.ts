import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { printableJson, printableValue } from '../base/printable.ts';
import { formatProblems } from '../config/load/load.ts';
import { parsePlace, type RequestTarget } from '../config/words/request-line.ts';
import { doubts, lackingMessage } from '../gateway/explain/doubts.ts';
import { defaultHost, defaultSecure } from '../gateway/explain/dry-engine.ts';
import { explainUnasked } from '../gateway/explain/explain-unasked.ts';
import type { SimulatedRequest } from '../gateway/explain/simulated-request.ts';
import { explainAssumed, explainVerified } from '../gateway/explain/ways.ts';
import { gatewayOption, noSecretsOption } from './common/config-option.ts';
import { loadGateway, type SecretsOption } from './common/no-secrets.ts';
import { scopeOption } from './common/scope-option.ts';
import { SecretValueError } from './common/usage-error.ts';
import { explanationInWords } from './explain/explanation-in-words.ts';

/** `gatehouse explain`: judges one request, step by step. The exit status is 0 for every verdict. */
export function register(program: Command): void {
  program
    .command('explain')
    .description('show what would happen to a request, and why')
    .argument('<method>', 'GET, POST, …')
    .argument('<url>', 'a path, or a URL with a host', place)
    .addOption(gatewayOption())
    .option('--token-file <file>', 'verify the token in this file against the authorization servers')
    .option('--token <->', 'verify the token on standard input: --token -', fromStdin)
    .addOption(scopeOption('assume a valid token with this scope'))
    .option('--claims <json>', 'assume a valid token with these claims', claims)
    .option(
      '--user <name>',
      'assume this user of Basic or Digest with the right password, or this client with its API key',
    )
    .option('-H, --header <line>', "a header, as 'Name: value'; may be repeated", header, [])
    .option('--mcp <operation>', "a message for a route with `mcp`, such as 'tools/call delete_user'")
    .addOption(noSecretsOption())
    .option('--json', 'print JSON')
    .action(async (method: string, address: RequestTarget, options: Options, command: Command) => {
      await run({ method, ...address }, options, command);
    });
}

interface Options extends SecretsOption {
  readonly config: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly scope?: string;
  readonly claims?: Record<string, unknown>;
  readonly user?: string;
  readonly mcp?: string;
  readonly header: readonly (readonly [string, string])[];
  readonly json?: true;
}

type Request = RequestTarget & { readonly method: string };

async function run(request: Request, options: Options, command: Command): Promise<void> {
  const assumes = options.scope !== undefined || options.claims !== undefined;
  const { user } = options;
  const given = [options.token, options.tokenFile, user].filter((each) => each !== undefined).length + Number(assumes);
  if (given > 1)
    command.error('error: use only one kind of credential: --token, --token-file, --user, or --scope and --claims');
  const token = options.token ?? (options.tokenFile === undefined ? undefined : readToken(options.tokenFile, command));
  const loaded = loadGateway(options.config, options);
  if (!loaded.ok) {
    process.stderr.write(formatProblems(loaded.problems));
    process.exitCode = 1;
    return;
  }
  const question = { method: request.method, scope: options.scope, mcp: options.mcp };
  warn(doubts(question, loaded.config));
  const asked: SimulatedRequest = {
    ...request,
    host: request.host ?? defaultHost(loaded.config),
    secure: request.secure ?? defaultSecure(loaded.config),
    headers: options.header,
    user,
    token,
    operation: options.mcp,
  };
  const explanation = await judgeOf(assumes, options)(loaded, asked, options);
  const lacking = lackingMessage(question, explanation);
  warn(lacking === undefined ? [] : [lacking]);
  process.stdout.write(options.json ? printableJson(explanation) : explanationInWords(explanation));
}

function warn(doubted: readonly string[]): void {
  process.stderr.write(doubted.map((doubt) => `${printableValue(`gatehouse: warning: ${doubt}`)}\n`).join(''));
}

/** The options decide who judges the token. */
function judgeOf(assumes: boolean, { secrets }: SecretsOption): typeof explainAssumed {
  if (assumes) return explainAssumed;
  return secrets ? explainVerified : (file, request) => explainUnasked(file, request);
}

function place(text: string): RequestTarget {
  const parsed = parsePlace(text);
  if (parsed === undefined) throw new InvalidArgumentError('Write /orders/7 or https://host/orders/7.');
  return parsed;
}

/** Never from the arguments: the shell history and the process list show them. */
function fromStdin(word: string): string {
  if (word !== '-')
    throw new SecretValueError('give the token on standard input (`--token -`), or name its file (`--token-file`)');
  return readFileSync(0, 'utf8').trim();
}

function readToken(file: string, command: Command): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    return command.error(`error: ${printableValue(file)} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function claims(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, like any text that is not an object.
  }
  throw new SecretValueError('`--claims` takes a JSON object, such as \'{"sub":"alice"}\'');
}

function header(line: string, before: Options['header']): Options['header'] {
  const [, name, value] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new SecretValueError("`--header` takes 'Name: value'");
  return [...before, [name, value]];
}
