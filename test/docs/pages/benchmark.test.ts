import { readFileSync } from 'node:fs';
import t from 'tap';
import { withFigures } from '../../../bench/gateway/markdown.ts';
import { parts } from '../../../bench/gateway/parts.ts';
import { picture } from '../../../bench/gateway/picture.ts';
import { readResults } from '../../../bench/gateway/results-file.ts';
import { root } from './blocks.ts';

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const results = readResults(`${root}bench/results.json`);

t.test('the figures of bench/README.md and the picture are those of bench/results.json', async (t) => {
  const page = read('bench/README.md');
  t.equal(withFigures(page, results), page, 'npm run bench -- figures');
  t.equal(picture(results), read('docs/pictures/benchmark.svg'), 'npm run bench -- figures');
});

t.test('the results hold every part, of five rounds at least, and no path of a machine', async (t) => {
  t.strictSame(
    results.parts.map(({ name }) => name),
    parts.map(({ name }) => name),
  );
  for (const { name, rounds } of results.parts) t.ok(rounds >= 5, name);
  t.notMatch(read('bench/results.json'), /"(\/|\.\.?\/)/);
});

t.test('the page names every part of the benchmark', async (t) => {
  const page = read('bench/README.md');
  for (const { name } of parts) t.match(page, `| ${name} |`);
});
