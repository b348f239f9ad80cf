import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { temporaryFolder } from '../temporary-folder.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

export type Status = 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';

/** One check of a scenario. A scenario can repeat a check. */
export interface Check {
  /** Scenario, id and name; and a number, if the scenario repeats the check. */
  readonly key: string;
  readonly id: string;
  readonly status: Status;
  readonly errorMessage?: string;
}

/** Which scenarios run: the ones that a revision requires, all of a revision, or one. */
export type Selection = Readonly<{ requirements: string } | { 'spec-version': string } | { scenario: string }>;

/** Runs the official conformance tool against a server. Throws if the tool did not run. */
export async function conformance(t: Test, url: string, selection: Selection): Promise<readonly Check[]> {
  const selected = Object.entries(selection).flatMap(([name, value]) => [`--${name}`, value]);
  const results = await runConformance(t, ['server', '--url', url, ...selected]).results;
  if (results.length === 0) throw new Error(`the conformance tool judged nothing at ${url}`);
  return results;
}

export interface ConformanceRun {
  /** What the tool prints, line by line or in larger parts. */
  readonly output: Readable;
  readonly results: Promise<readonly Check[]>;
}

/** The tool in a separate process, with its results in a temporary folder. */
export function runConformance(t: Test, args: readonly string[]): ConformanceRun {
  const directory = temporaryFolder(t);
  const child = spawn(process.execPath, [program, ...args, '--output-dir', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  child.stdout.resume();
  return { output: child.stdout, results: ended.then(() => checksIn(directory)) };
}

type Reported = Omit<Check, 'key'> & { readonly name: string };

/** The tool has a folder for each scenario, whose name ends with the time. */
function checksIn(directory: string): readonly Check[] {
  return globSync('*/checks.json', { cwd: directory })
    .sort()
    .flatMap((file) => {
      const scenario = dirname(file).replace(/^(authorization-)?server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, '');
      return keyed(scenario, JSON.parse(readFileSync(join(directory, file), 'utf8')));
    });
}

function keyed(scenario: string, checks: readonly Reported[]): readonly Check[] {
  const seen = new Map<string, number>();
  return checks.map(({ name, ...check }) => {
    const key = `${scenario}: ${check.id} ${name}`;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return { ...check, key: times === 1 ? key : `${key} ${times}` };
  });
}

/** The checks that pass in `direct`, and not in `through`; each with its message. */
export function lost(direct: readonly Check[], through: readonly Check[]): readonly string[] {
  const found = new Map(through.map((check) => [check.key, check]));
  return direct
    .filter(({ key, status }) => status === 'SUCCESS' && found.get(key)?.status !== 'SUCCESS')
    .map(({ key }) => `${key}: ${found.get(key)?.errorMessage ?? 'this check did not run'}`);
}

export const passed = (checks: readonly Check[]) => checks.filter(({ status }) => status === 'SUCCESS').length;
/** Includes warnings: what a server should do. */
export const failures = (checks: readonly Check[]) =>
  checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
