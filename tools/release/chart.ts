import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { helm } from '../chart/programs.ts';
import type { Names } from './names.ts';
import { run } from './run.ts';

/** Packs the chart into `to`, with the published image as its default. `scratch`: an empty folder. Returns the file's path. */
export function packChart(root: string, names: Names, { to, scratch }: { to: string; scratch: string }): string {
  const chart = join(scratch, 'gatehouse');
  cpSync(join(root, 'helm/gatehouse'), chart, { recursive: true });
  edit(join(chart, 'values.yaml'), [
    [['image', 'registry'], names.registry],
    [['image', 'repository'], names.image],
  ]);
  edit(join(chart, 'Chart.yaml'), [
    [['home'], names.home],
    [['sources'], [names.home]],
  ]);
  const printed = run(helm, ['package', chart, '--destination', to], root);
  return printed.slice(printed.indexOf(to)).trim();
}

type Edit = readonly [path: readonly string[], value: unknown];

/** Keeps the comments of the file. */
function edit(file: string, edits: readonly Edit[]): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  for (const [path, value] of edits) document.setIn(path, value);
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}
