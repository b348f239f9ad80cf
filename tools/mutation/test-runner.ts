import { basename } from 'node:path';
import { type InstrumenterContext, INSTRUMENTER_CONSTANTS as names } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from '@stryker-mutator/api/test-runner';
import { runFile } from './run-file.ts';

/** The test files of the room, in the order in which they run. */
const files: readonly string[] = JSON.parse(process.env.MUTATION_TESTS ?? '[]');

/** The test file with the name of the changed file is the most likely to notice. */
function ownFirst(changed: string): readonly string[] {
  const own = `/${basename(changed, '.ts')}.test.ts`;
  return [...files.filter((file) => file.endsWith(own)), ...files.filter((file) => !file.endsWith(own))];
}

function instrumented(): InstrumenterContext {
  const all = globalThis as { [names.NAMESPACE]?: InstrumenterContext };
  const context = all[names.NAMESPACE] ?? {};
  all[names.NAMESPACE] = context;
  return context;
}

/** One Stryker test is one of our test files, run with fresh modules in the current process. */
class FileRunner implements TestRunner {
  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: TestResult[] = [];
    for (const file of files) tests.push(await timed(file));
    const mutantCoverage = instrumented().mutantCoverage ?? { static: {}, perTest: {} };
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    const context = instrumented();
    Object.assign(context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    process.env[names.ACTIVE_MUTANT_ENV_VARIABLE] = activeMutant.id;
    const chosen = ownFirst(activeMutant.fileName).filter((file) => testFilter?.includes(file) ?? true);
    for (const file of chosen) {
      const failure = await runFile(file);
      const limit = determineHitLimitReached(context.hitCount, hitLimit);
      if (limit !== undefined) return { status: MutantRunStatus.Timeout, reason: limit.reason ?? '' };
      if (failure !== undefined)
        return { status: MutantRunStatus.Killed, killedBy: [file], failureMessage: failure, nrOfTests: chosen.length };
    }
    return { status: MutantRunStatus.Survived, nrOfTests: chosen.length };
  }
}

async function timed(file: string): Promise<TestResult> {
  instrumented().currentTestId = file;
  const start = performance.now();
  const failureMessage = await runFile(file);
  const common = { id: file, name: file, fileName: file, timeSpentMs: performance.now() - start };
  if (failureMessage === undefined) return { ...common, status: TestStatus.Success };
  return { ...common, status: TestStatus.Failed, failureMessage };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'files', FileRunner)];
