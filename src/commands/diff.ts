import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { printableJson, printableValue } from '../base/printable.ts';
import { formatProblems } from '../config/load/load.ts';
import { type CompileTarget, compileTargets } from '../gateway/compile/targets.ts';
import { compare } from '../gateway/diff/compare.ts';
import { compileFile } from '../gateway/diff/compiled-file.ts';
import { replay } from '../gateway/diff/replay.ts';
import type { CheckedGatewayFile } from '../gateway/explain/dry-engine.ts';
import { noSecretsOption } from './common/config-option.ts';
import { loadGateway, type SecretsOption } from './common/no-secrets.ts';
import { planOfFile } from './compile/plan-of-file.ts';
import { type TargetDifference, targetDifference } from './compile/target-difference.ts';
import { type Difference, differenceInWords } from './explain/difference-in-words.ts';

/** `gatehouse diff OLD NEW`: which requests a change makes more open or more closed. Exit status 1: some are more open. */
export function register(program: Command): void {
  program
    .command('diff')
    .description('show what becomes more open or more closed between two gateway files')
    .argument('<old>', 'the current gateway.yaml')
    .argument('<new>', 'the new gateway.yaml')
    .option(
      '--replay <file>',
      'a log of the gateway; the command also shows which recorded requests would get a different answer',
    )
    .addOption(
      new Option('--target <name>', 'also show what changes in the rules compiled for this proxy').choices(
        Object.keys(compileTargets),
      ),
    )
    .option('--allow-widening', 'exit 0 even if something became more open')
    .addOption(noSecretsOption())
    .option('--json', 'print JSON')
    .action(run);
}

interface Options extends SecretsOption {
  readonly replay?: string;
  readonly target?: string;
  readonly allowWidening?: true;
  readonly json?: true;
}

async function run(oldFile: string, newFile: string, options: Options, command: Command): Promise<void> {
  const lines = options.replay === undefined ? undefined : readLines(options.replay, command);
  const [before, after] = [load(oldFile, options), load(newFile, options)];
  if (before === undefined || after === undefined) return;
  const [old, now] = [compileFile(before), compileFile(after)];
  const found: Difference = {
    ...(await compare(old, now)),
    ...(lines === undefined ? {} : { replay: await replay(lines, old, now) }),
    ...(options.target === undefined
      ? {}
      : { compiled: await compiled(options.target, [oldFile, before], [newFile, after]) }),
  };
  process.stdout.write(options.json ? printableJson(found) : differenceInWords(found));
  const widened = found.changes.some(({ change }) => change === 'opened');
  if (widened && !options.allowWidening) process.exitCode = 1;
}

type NamedFile = readonly [file: string, loaded: CheckedGatewayFile];

async function compiled(name: string, ...[before, after]: readonly [NamedFile, NamedFile]): Promise<TargetDifference> {
  const target = compileTargets[name] as CompileTarget;
  const plan = ([file, loaded]: NamedFile) =>
    planOfFile(loaded, { file, mode: 'ask', view: { limits: target.limits } });
  return targetDifference(name, target, await plan(before), await plan(after));
}

function load(file: string, options: SecretsOption): CheckedGatewayFile | undefined {
  const loaded = loadGateway(file, options);
  if (loaded.ok) return loaded;
  process.stderr.write(formatProblems(loaded.problems));
  process.exitCode = 1;
  return undefined;
}

function readLines(file: string, command: Command): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    return command.error(`error: ${printableValue(file)} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
