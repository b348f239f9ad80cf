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

/** Where the blocks of a page are run. */
function testOf(page: string): string {
  return `test/docs/pages/${page.replace(/^docs\/|\.md$/g, '')}.test.ts`;
}

for (const page of [...pages, 'SECURITY.md'])
  t.test(`${page}: where it has a block, a test follows it`, async (t) => {
    if (blocksOf(page).length === 0) return;
    t.ok(existsSync(join(root, testOf(page))), `${testOf(page)} is there`);
    t.match(read(testOf(page)), /\bfollow\(t, /, 'and runs every block');
    t.match(read(testOf(page)), page);
  });

for (const page of [...pages, 'SECURITY.md', 'README.md'])
  t.test(`${page} leads only to files and headings that are there`, async (t) => {
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

t.test('the index leads to every page, once', async (t) => {
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

t.test('the commands of the README are those of the program', async (t) => {
  const named = [...read('README.md').matchAll(/^\| `gatehouse ([a-z-]+)/gm)].map(([, name]) => name);
  const modules = readdirSync(join(root, 'src/commands')).filter((name) =>
    name.endsWith('.ts') ? /^export function register\(/m.test(read(`src/commands/${name}`)) : false,
  );
  const registered = modules.map((name) => name.replace('.ts', ''));
  t.strictSame([...new Set(named)].toSorted(), registered.toSorted());
});

t.test('the blocks of the README that its own test does not run are those of npm', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const text = read('README.md');
  const [from, to] = ['## One screen of YAML', '## Commands'].map((heading) => text.indexOf(heading));
  const own = text.slice(from, to);
  const others = blocksOf('README.md').filter((block) => !own.includes(block.text));
  t.ok(others.length > 0);
  for (const { language, text, place } of others) {
    t.equal(language, 'sh', place);
    for (const line of text.trim().split('\n')) {
      const [program = '', verb = ''] = line.split(/ +/);
      const isKnown = program === 'npm' && (verb in scripts || ['test', 'start', 'pack', 'install'].includes(verb));
      t.ok(isKnown || /^npx --no-install gatehouse /.test(line), `${place}: ${line}`);
    }
  }
});
