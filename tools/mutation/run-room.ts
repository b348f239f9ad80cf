import { globSync } from 'node:fs';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { killedBefore } from './again.ts';
import type { Chosen } from './choice.ts';
import { reaching } from './reaching.ts';

/**
 * Every mutant of a room, with its result. One process at a time, so that a slow test does not look like an endless
 * loop. The report of a part of a room has its own file.
 */
export function runRoom({ name, room: { mutate, tests }, isPart, isAgain }: Chosen): Promise<readonly MutantResult[]> {
  const files = new Set(tests.flatMap((pattern) => globSync(pattern).sort()));
  process.env.MUTATION_TESTS = JSON.stringify([...files]);
  process.env.MUTATION_REACHING = JSON.stringify(reaching(mutate.flatMap((pattern) => globSync(pattern))));
  // Property tests begin with the same cases for every mutant.
  process.env.GATEHOUSE_SEED ??= '1';
  const killed = isAgain ? killedBefore(name) : undefined;
  return new Stryker({
    ...(killed !== undefined && { incremental: true, incrementalFile: killed }),
    mutate: [...mutate],
    testRunner: 'files',
    plugins: ['./tools/mutation/test-runner.ts'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // Resources that a killed test leaves open end with its process.
    maxTestRunnerReuse: 150,
    // So long that a busy machine does not look like an endless loop. Such a loop mostly ends by its count of rounds.
    timeoutMS: 60_000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 9,
    disableTypeChecks: false,
    tsconfigFile: 'none',
    tempDirName: '.mutation/tmp',
    ignorePatterns: ['**', '!src/**', '!test/**', '!config/**', '!package.json'],
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: `.mutation/${name}${isPart ? '-part' : ''}.json` },
    warnings: false,
  }).runMutationTest();
}
