import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { blocksOf, root } from './blocks.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const inFolder = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

const pages = inFolder('docs');
const indexed = [...pages, ...inFolder('docs/cookbook'), 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md'];

/** The test files that run the blocks of a page. */
function testOf(page: string): string {
  return `test/docs/pages/${page.replace(/^docs\/|\.md$/g, '')}.test.ts`;
}

for (const page of [...pages, 'SECURITY.md'])
  t.test(`${page}: if it has a block, a test runs the page`, async (t) => {
    if (blocksOf(page).length === 0) return;
    t.ok(existsSync(join(root, testOf(page))), `${testOf(page)} is there`);
    t.match(read(testOf(page)), /\bfollow\(t, /, 'and runs every block');
    t.match(read(testOf(page)), page);
  });

for (const page of [...pages, 'SECURITY.md', 'README.md'])
  t.test(`${page} links only to files and headings that exist`, async (t) => {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file = '', heading] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      t.ok(existsSync(join(root, path)), target);
      if (heading !== undefined) t.ok(headings(path).includes(heading), target);
    }
  });

function headings(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

t.test('the index links to every page once', async (t) => {
  const index = read('docs/README.md');
  const led = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, target = '']) => join('docs', target));
  t.strictSame(led.toSorted(), indexed.filter((page) => page !== 'docs/README.md').toSorted());
});

t.test('production names the metric of every alert', async (t) => {
  const page = read('docs/production.md');
  const alerts = read('helm/gatehouse/files/alerts.yaml');
  const names = new Set(alerts.match(/\bgatehouse_\w+/g));
  t.ok(names.size > 6);
  for (const name of names) t.match(page, name);
});

t.test('the page of commands lists the commands of the program', async (t) => {
  const named = [...read('docs/commands.md').matchAll(/^\| `gatehouse ([a-z-]+)/gm)].map(([, name]) => name);
  const modules = readdirSync(join(root, 'src/commands')).filter((name) =>
    name.endsWith('.ts') ? /^export function register\(/m.test(read(`src/commands/${name}`)) : false,
  );
  const registered = modules.map((name) => name.replace('.ts', ''));
  t.strictSame([...new Set(named)].toSorted(), registered.toSorted());
});

t.test('the README has at most 90 lines, and its blocks that no test runs are npm scripts', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  t.ok(read('README.md').split('\n').length <= 91);
  const others = blocksOf('README.md').filter((block) => block.text.startsWith('npm '));
  t.equal(others.length, 1);
  for (const line of (others[0]?.text ?? '').trim().split('\n')) {
    const [program = '', verb = ''] = line.split(/ +/);
    t.ok(program === 'npm' && verb in scripts, line);
  }
});
