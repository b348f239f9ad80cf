import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
  readonly testFiles: Readonly<Record<string, { readonly source?: string }>>;
}

/**
 * Writes the kills of a room's last run into a file for Stryker, which then tests only the other changes. A kill is
 * kept only if the code is the same and the test that killed it still runs that code. Undefined if there was no run.
 */
export function killedBefore(name: string): string | undefined {
  const last = `.mutation/${name}.json`;
  if (!existsSync(last)) return undefined;
  const report: Report = JSON.parse(readFileSync(last, 'utf8'));
  const files = Object.entries(report.files).map(([file, { mutants, ...rest }]) => [
    file,
    { ...rest, mutants: mutants.filter(({ status }) => status === 'Killed') },
  ]);
  // Without its text, a test file counts as the same even if a test was added.
  const testFiles = Object.entries(report.testFiles).map(([file, { source, ...rest }]) => [file, rest]);
  const kept = `.mutation/${name}-killed.json`;
  const doctored = { ...report, files: Object.fromEntries(files), testFiles: Object.fromEntries(testFiles) };
  writeFileSync(kept, JSON.stringify(doctored));
  return relative('.', kept);
}
