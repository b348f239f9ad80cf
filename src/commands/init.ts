import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { printableValue } from '../base/printable.ts';
import { formatProblems, loadAuthorizationText, loadGatewayText, type Problem } from '../config/load/load.ts';
import { unitTable } from '../config/schema/units.ts';
import { type ReadSecret, readSecret } from './common/read-secret.ts';
import { scopeOption } from './common/scope-option.ts';
import { askQuestions } from './init/ask.ts';
import { filesFor, type NewFile } from './init/files.ts';
import { findIssuer } from './init/found-issuer.ts';
import { initAsJson, initInWords } from './init/init-in-words.ts';
import { type Answers, answersFrom, type Given, type InitQuestion, OWN, questions } from './init/questions.ts';
import { alreadyThere, writeFiles } from './init/write.ts';

interface Options extends Given {
  /** Set by a flag: Gatehouse's own authorization service. */
  readonly authorization?: true;
  readonly listen: string;
  readonly force?: true;
  readonly newSecrets?: true;
  readonly json?: true;
}

/** `gatehouse init [FOLDER]`: writes the files of a first setup. It asks at a terminal, or reads flags. */
export function register(program: Command): void {
  const command = program
    .command('init')
    .description('write gateway.yaml, and authorization.yaml on request, with secrets and tests')
    .argument('[folder]', 'the folder for the files', '.');
  for (const question of questions) command.addOption(optionFor(question));
  command
    .option(
      '--authorization',
      'instead of --issuer: the authorization service of Gatehouse issues the tokens; the command also writes authorization.yaml',
    )
    .option('--listen <address>', 'where clients connect', '127.0.0.1:8080')
    .option('--force', 'overwrite existing files, and keep the secrets')
    .option('--new-secrets', 'with --force: make new secrets')
    .option('--json', 'print the result as JSON')
    .action(run);
}

function optionFor({ name, flag, text }: InitQuestion): Option {
  const description = text.charAt(0).toLowerCase() + text.slice(1);
  return name === 'scope' ? scopeOption(description) : new Option(flag, description);
}

async function run(folder: string, options: Options, command: Command): Promise<void> {
  refuseFaults(options, command);
  // Check before asking: questions are pointless if the answers cannot be written.
  const there = options.force ? undefined : alreadyThere(folder, [{ path: 'gateway.yaml' }]);
  if (there !== undefined) return giveUp(there);
  const asked = await answersOf(options, command);
  if (asked.kind === 'fault') return giveUp(asked.message);
  const { answers } = asked;
  const secret = await secretOf(answers);
  if (secret?.kind === 'unreadable') return giveUp(`the secret of ${answers.clientId}: ${secret.message}`);
  const files = filesFor(answers, options.listen, secret?.text);
  const problems = problemsOf(folder, files);
  if (problems.length > 0) {
    process.stderr.write(formatProblems(problems));
    return giveUp('nothing is written');
  }
  const { force = false, newSecrets = false } = options;
  const outcome = writeFiles(folder, files, { force, newSecrets });
  if (outcome.kind === 'fault') return giveUp(outcome.message);
  process.stdout.write(options.json ? initAsJson(folder, outcome, answers) : initInWords(folder, outcome, answers));
}

function refuseFaults(options: Options, command: Command): void {
  for (const question of questions) {
    const text = options[question.name];
    const fault = text === undefined ? undefined : question.fault(text);
    if (fault !== undefined) command.error(`error: ${flagOf(question)}: ${printableValue(fault)}`);
  }
  if (options.authorization && options.issuer !== undefined)
    command.error(
      'error: use either --issuer or --authorization; to accept tokens of both, write two entries in `authorization_servers`',
    );
  if (options.newSecrets && !options.force)
    command.error('error: --new-secrets needs --force; without --new-secrets, the command makes only missing secrets');
  if (options.clientId !== undefined && options.issuer === undefined)
    command.error(
      'error: --client-id needs --issuer; with --authorization, the command itself registers a client for the gateway',
    );
  if (unitTable.address.convert(options.listen) === undefined)
    command.error(`error: --listen: ${unitTable.address.form}`);
}

function flagOf({ flag }: InitQuestion): string {
  return flag.replace(/ .*/, '');
}

type Answered =
  | { readonly kind: 'answered'; readonly answers: Answers }
  | { readonly kind: 'fault'; readonly message: string };

/** Asks only if an answer without a default is missing. Then it asks for the other answers too. */
async function answersOf(options: Options, command: Command): Promise<Answered> {
  const missing = missingIn(options);
  if (missing.length === 0) {
    const fault = options.issuer === undefined ? undefined : await lookAtIssuer(options.issuer);
    if (fault !== undefined) return { kind: 'fault', message: `--issuer: ${fault}` };
    return { kind: 'answered', answers: answersFrom(given(options)) };
  }
  if (!process.stdin.isTTY)
    command.error(`error: these values are missing, and there is no terminal to ask for them: ${missing.join(', ')}`);
  const asked = await askQuestions(given(options), async ({ name }, text) =>
    name === 'issuer' ? lookAtIssuer(text) : undefined,
  );
  return asked.kind === 'answered' ? asked : { kind: 'fault', message: 'nothing is written: the input ended' };
}

function missingIn({ api, audience, issuer, authorization }: Options): readonly string[] {
  return [
    ...(api === undefined ? ['--api URL'] : []),
    ...(issuer === undefined && !authorization ? ['--issuer URL or --authorization'] : []),
    ...(audience === undefined ? ['--audience URI'] : []),
  ];
}

function given({ api, issuer, audience, scope, clientId, authorization }: Options): Given {
  return { api, issuer: authorization ? OWN : issuer, audience, scope, clientId };
}

/** Returns a sentence if the metadata belong to another issuer. A server that does not answer now may answer later. */
async function lookAtIssuer(issuer: string): Promise<string | undefined> {
  const found = await findIssuer(issuer);
  if (found.kind === 'wrong')
    return `${found.detail}: write the issuer exactly as in the metadata, because the \`iss\` of each token has the same value`;
  const told =
    found.kind === 'found'
      ? `its keys are at ${found.keys}${found.introspection === undefined ? '' : ', and it supports introspection'}`
      : `it does not answer now (${found.detail}); \`gatehouse doctor\` asks again`;
  process.stderr.write(`${printableValue(`gatehouse: ${issuer}: ${told}`)}\n`);
  return undefined;
}

/** If another vendor's server introspects the tokens, that server has already given the gateway a secret. */
async function secretOf({ clientId }: Answers): Promise<ReadSecret | undefined> {
  if (clientId === undefined) return undefined;
  const read = await readSecret(`Secret of ${clientId}`);
  return read.kind === 'read' && read.text === '' ? { kind: 'unreadable', message: 'nothing was read' } : read;
}

/** The problems that `check` would report, so that the command writes no file that `check` rejects. */
function problemsOf(folder: string, files: readonly NewFile[]): readonly Problem[] {
  const load = { 'gateway.yaml': loadGatewayText, 'authorization.yaml': loadAuthorizationText };
  return files.flatMap(({ path, text }) => {
    if (path !== 'gateway.yaml' && path !== 'authorization.yaml') return [];
    const loaded = load[path](text, { file: join(folder, path), withoutSecrets: true });
    return loaded.ok ? [] : loaded.problems;
  });
}

function giveUp(message: string): void {
  process.stderr.write(`gatehouse: ${printableValue(message)}\n`);
  process.exitCode = 1;
}
