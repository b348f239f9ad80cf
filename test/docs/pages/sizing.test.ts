import { readFileSync } from 'node:fs';
import t from 'tap';
import { root } from './blocks.ts';

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const page = read('docs/sizing.md');

/** Where the figures of the page come from. */
const sources = [
  'bench/README.md',
  'docs/cookbook/every-core.md',
  'docs/cookbook/revocation.md',
  'docs/decisions/0014-workers.md',
].map(read);

const commands = [...page.matchAll(/`(npm run -s bench -- [^`]+)`/g)].map(([, command = '']) => command);
const rows = page.split('\n').filter((line) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line));

/** Numbers of a row besides those of its command and of the words that a file was named by. */
function figures(row: string): readonly string[] {
  return row.replace(/`[^`]*`|\]\([^)]*\)|SHA-256|Argon2id|decision \d+/g, '').match(/\d[\d,.–]*/g) ?? [];
}

t.test('every figure of the page stands where it was measured', async (t) => {
  const found = rows.flatMap(figures);
  t.ok(found.length > 30);
  for (const figure of found)
    t.ok(
      sources.some((source) => source.includes(figure)),
      figure,
    );
});

t.test('every command of the page is one of the benchmark, with options that it takes', async (t) => {
  const [head = ''] = read('bench/run.ts').split('\n');
  const names = /-- (\S+)/.exec(head)?.[1]?.split('|') ?? [];
  t.ok(commands.length > 4);
  for (const command of commands) {
    const [name = '', ...options] = command.replace('npm run -s bench -- ', '').split(' ');
    t.ok(names.includes(name), name);
    for (const option of options.filter((each) => each.startsWith('--'))) t.match(head, `[${option} N]`, option);
  }
});

t.test('every row of figures says its command, or stands below one', async (t) => {
  for (const part of page.split('\n## ').slice(1, 3)) {
    let said = false;
    for (const line of part.split('\n')) {
      said ||= /`npm run -s bench|\]\(cookbook/.test(line);
      if (line.startsWith('|') && figures(line).length > 0) t.ok(said, line);
    }
  }
});
