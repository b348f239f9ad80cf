import { globSync } from 'node:fs';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import type { Room } from './rooms.ts';

/** Every mutant of a room, with what became of it. A process at a time, so that a slow test is not taken for a loop. */
export function runRoom(name: string, { mutate, tests }: Room): Promise<readonly MutantResult[]> {
  const files = new Set(tests.flatMap((pattern) => globSync(pattern).sort()));
  process.env.MUTATION_TESTS = JSON.stringify([...files]);
  // Properties begin with the same cases for every mutant.
  process.env.GATEHOUSE_SEED ??= '1';
  return new Stryker({
    mutate: [...mutate],
    testRunner: 'files',
    plugins: ['./tools/mutation/test-runner.ts'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // What a killed test leaves open ends with its process.
    maxTestRunnerReuse: 150,
    timeoutMS: 4000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 9,
    disableTypeChecks: false,
    tsconfigFile: 'none',
    tempDirName: '.mutation/tmp',
    ignorePatterns: ['**', '!src/**', '!test/**', '!config/**', '!package.json'],
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: `.mutation/${name}.json` },
    warnings: false,
  }).runMutationTest();
}
