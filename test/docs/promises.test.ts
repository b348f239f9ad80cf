import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/promises.md`, 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!fault \|)/.test(line));
const named = (text: string) => [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);

t.test('every row names the tests that show it, and these files exist', async (t) => {
  t.ok(rows.length > 0);
  for (const row of rows) {
    const cells = row.split(' | ');
    const files = named(cells.at(-1) ?? '');
    t.equal(cells.length, 3, row);
    t.ok(files.length > 0, row);
    for (const file of files) t.ok(file.endsWith('.test.ts') && existsSync(`${root}${file}`), file);
  }
});

t.test('every test of a fault is in a row', async (t) => {
  const files = globSync('test/faults/**/*.test.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  t.ok(files.length > 0);
  t.strictSame(files.filter((file) => !rows.some((row) => named(row).includes(file))).sort(), []);
});
