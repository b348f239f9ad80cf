import { readFileSync } from 'node:fs';
import t from 'tap';
import { fingerprints } from '../../../bench/gateway/fixed-files.ts';
import { parts } from '../../../bench/gateway/parts.ts';
import { shown } from '../../../bench/gateway/picture.ts';
import { root } from './blocks.ts';

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const page = read('bench/README.md');

/** The figures of one part, as in the page. */
function sectionOf(part: string): string {
  return page.split(`\n### ${part}\n`)[1]?.split('\n### ')[0] ?? '';
}

/** Microseconds of CPU time a request, in the row with that name. */
function cpuOf(row: string): string | undefined {
  const [titles = [], ...rows] = sectionOf('enforcement')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.find(([, name]) => name === row)?.[titles.indexOf('CPU µs')];
}

t.test('the picture shows the processor time of the table', async (t) => {
  const [, described = ''] = /in microseconds: (.*)\.<\/desc>/.exec(read('docs/pictures/benchmark.svg')) ?? [];
  const rows = shown.flatMap(({ row, label }) => {
    const cpu = cpuOf(row);
    return cpu === undefined ? [] : [`${label} ${Number(cpu).toFixed(0)}`];
  });
  t.ok(rows.length > 5);
  t.strictSame(described.split('; '), rows, 'npm run bench -- figures');
});

t.test('the page has every part of the benchmark, with figures of at least five rounds', async (t) => {
  for (const { name } of parts) {
    t.match(page, `| ${name} |`);
    const [, rounds = 0] = /^The run had (\d+) rounds/m.exec(sectionOf(name)) ?? [];
    t.ok(Number(rounds) >= 5, name);
  }
});

t.test("the SHA-256 in the page is that of the contender's file", async (t) => {
  const contenders = read('bench/contenders/README.md');
  const files = Object.entries(fingerprints());
  t.ok(files.length > 0);
  for (const [name, hash] of files) t.match(contenders, `${hash}  ${name}`);
});
