import { readFileSync } from 'node:fs';
import t from 'tap';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Whether a title, which may name several advisories, names this one. */
function names(text: string, number: string): boolean {
  const lists: readonly string[] = text.match(/advisor(?:y|ies) [0-9]+(?:(?:, | and )[0-9]+)*/g) ?? [];
  return lists.some((list) => list.split(/[^0-9]+/).includes(number));
}

/** 62 is about two rules that overlap, which our routes cannot do. */
const numbers = Array.from({ length: 75 }, (_, index) => String(index + 1)).filter((number) => number !== '62');

t.test('each advisory has a row whose files name it in a title, or a reason why it has none', async (t) => {
  const page = read('README.md');
  for (const number of numbers) {
    const row = new RegExp(`^\\| ${number} \\| .+ \\| (.+) \\|$`, 'm').exec(page)?.[1];
    t.ok(row, `advisory ${number} has a row`);
    const paths = [...(row ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path as string);
    for (const path of paths) t.ok(names(read(path), number), `${path} names advisory ${number}`);
    if (paths.length === 0) t.ok(page.includes(`- **${number}**: `), `advisory ${number} has a reason`);
  }
});
