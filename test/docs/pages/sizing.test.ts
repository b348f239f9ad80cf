import { readFileSync } from 'node:fs';
import t from 'tap';
import { benches, usage } from '../../../bench/usage.ts';
import { root } from './blocks.ts';

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const page = read('docs/sizing.md');

/** The sources of the figures in the page. */
const sources = [
  'bench/README.md',
  'docs/cookbook/every-core.md',
  'docs/cookbook/revocation.md',
  'docs/decisions/0014-workers.md',
  'docs/decisions/0032-one-file.md',
].map(read);

const commands = [...page.matchAll(/`(npm run -s bench -- [^`]+)`/g)].map(([, command = '']) => command);
const rows = page.split('\n').filter((line) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line));

/** Numbers of a row, except in its command and in the words for a filename. */
function figures(row: string): readonly string[] {
  return row.replace(/`[^`]*`|\]\([^)]*\)|SHA-256|Argon2id|decision \d+/g, '').match(/\d[\d,.–]*/g) ?? [];
}

t.test('every figure of the page is in the place where it was measured', async (t) => {
  const found = rows.flatMap(figures);
  t.ok(found.length > 30);
  for (const figure of found)
    t.ok(
      sources.some((source) => source.includes(figure)),
      figure,
    );
});

t.test('every command of the page is a benchmark command, with valid options', async (t) => {
  const [names, help] = [Object.keys(benches), usage('')];
  t.ok(commands.length > 4);
  for (const command of commands) {
    const [name = '', ...options] = command.replace('npm run -s bench -- ', '').split(' ');
    t.ok(names.includes(name), name);
    for (const option of options.filter((each) => each.startsWith('--'))) t.match(help, `  ${option} `, option);
  }
});

t.test('every row of figures names its command, or is below one', async (t) => {
  for (const part of page.split('\n## ').slice(1, 3)) {
    let said = false;
    for (const line of part.split('\n')) {
      said ||= /`npm run -s bench|\]\(cookbook/.test(line);
      if (line.startsWith('|') && figures(line).length > 0) t.ok(said, line);
    }
  }
});
