import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { printable, printableJson } from '../base/printable.ts';
import { formatProblems, loadGatewayConfig } from '../config/load/load.ts';
import { stoppingFindings, type UnsupportedMode, unsupportedModes } from '../gateway/compile/make-plan.ts';
import type { CompilePlan } from '../gateway/compile/plan.ts';
import { type CompileTarget, compileTargets } from '../gateway/compile/targets.ts';
import { gatewayOption } from './common/config-option.ts';
import { acceptedInWords, handledInWords, planAsJson, splitInWords, unsupportedInWords } from './compile/in-words.ts';
import { planOfFile } from './compile/plan-of-file.ts';
import { runVerify } from './compile/run-verify.ts';

/** `gatehouse compile TARGET`: the rules of a file, in the configuration of another program. */
export function register(program: Command): void {
  const compile = program.command('compile').description('write the rules of a file for another proxy');
  for (const [name, target] of Object.entries(compileTargets)) registerTarget(compile.command(name), target);
}

function registerTarget(command: Command, target: CompileTarget): void {
  command
    .description(target.description)
    .addOption(gatewayOption())
    .option('--out <dir>', `write ${target.filename} into this folder, and print who judges each route`)
    .addOption(
      new Option(
        '--on-unsupported <what>',
        'for rules that the target cannot express exactly: error lists them and stops, ask lets Gatehouse judge their routes, omit leaves these routes out. With gateway-api, omit leaves out only routes that the proxy cannot ask Gatehouse about',
      )
        .choices(unsupportedModes)
        .default('error'),
    )
    .option('--verify <url>', "write nothing; send the requests of the file's `tests` to a proxy at this URL")
    .option('--token-command <command>', 'with --verify: this command reads claims and prints a token')
    .option('--json', 'print JSON')
    .action((options: Options, own: Command) => run(target, options, own));
  if (target.hasOwnKeys === true) command.addOption(testKeyOption());
  if (target.accepts.length > 0) command.addOption(acceptOption(target.accepts));
}

function testKeyOption(): Option {
  const about =
    'for tests: the proxy accepts tokens that are signed with the keys in this file; created if it does not exist';
  return new Option('--test-keys <file>', about);
}

function acceptOption(names: readonly string[]): Option {
  return new Option(
    '--accept <names...>',
    'accept the differences with these names; an accepted difference may allow more access than the file does',
  ).choices(names);
}

interface Options {
  readonly config: string;
  readonly out?: string;
  readonly onUnsupported: UnsupportedMode;
  readonly testKeys?: string;
  readonly verify?: string;
  readonly tokenCommand?: string;
  readonly json?: true;
  readonly accept?: readonly string[];
}

async function run(target: CompileTarget, options: Options, command: Command): Promise<void> {
  if (options.verify !== undefined) {
    await runVerify({ ...options, verify: options.verify }, command);
    return;
  }
  const plan = await planOf(target, options);
  if (plan === undefined) return;
  const stopping = stoppingFindings(plan, options.onUnsupported);
  if (stopping.length > 0) {
    process.exitCode = 1;
    if (options.json) process.stdout.write(printableJson(planAsJson(plan)));
    else process.stderr.write(unsupportedInWords(stopping));
    return;
  }
  print(plan, target.render(plan), target, options);
}

async function planOf({ limits }: CompileTarget, options: Options): Promise<CompilePlan | undefined> {
  const { config: file, onUnsupported, accept, testKeys: testKeyFile } = options;
  const loaded = loadGatewayConfig(file);
  if (!loaded.ok) {
    process.stderr.write(formatProblems(loaded.problems));
    process.exitCode = 1;
    return undefined;
  }
  return planOfFile(loaded, { file, mode: onUnsupported, testKeyFile, view: { limits, accepted: new Set(accept) } });
}

/** Without a folder, the configuration is the output, so that a pipe gets nothing else. */
function print(
  plan: CompilePlan,
  text: string,
  { filename }: CompileTarget,
  { out, json, onUnsupported }: Options,
): void {
  const report = handledInWords(plan.findings, onUnsupported) + acceptedInWords(plan.accepted) + splitInWords(plan);
  if (out !== undefined) {
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, filename), text);
  } else if (!json) {
    process.stdout.write(printable(text));
  }
  const said = { ...planAsJson(plan), ...(out === undefined && { output: text }) };
  if (json) process.stdout.write(printableJson(said));
  else if (out === undefined) process.stderr.write(report);
  else process.stdout.write(report);
}
