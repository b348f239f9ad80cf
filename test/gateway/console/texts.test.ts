import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const pages = new URL('../../../src/gateway/console/console-page/', import.meta.url);
const files = readdirSync(new URL('texts/', pages));
const forms = new Set<string>(['zero', 'one', 'two', 'few', 'many', 'other']);

async function textsIn(file: string): Promise<object> {
  return ((await import(new URL(`texts/${file}`, pages).href)) as { texts: object }).texts;
}

/** Each text with its path. The plural forms of a text have one path, because languages have different forms. */
function textsOf(part: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof part === 'string') return [[path, part]];
  return Object.entries(part as object).flatMap(([key, value]) =>
    textsOf(value, forms.has(key) ? path : `${path}.${key}`),
  );
}

/** Each path with the names in braces that its texts have. */
function shapeOf(texts: object): Readonly<Record<string, readonly string[]>> {
  const paths = Object.groupBy(textsOf(texts), ([path]) => path);
  return Object.fromEntries(
    Object.entries(paths).map(([path, rows = []]) => {
      const names = rows.flatMap(([, text]) => text.match(/\{\w+\}/g) ?? []);
      return [path, [...new Set(names)].sort()];
    }),
  );
}

t.test('each file of texts is a language that the pages know', async (t) => {
  const [, known = ''] = /const known = \[([^\]]+)\]/.exec(readFileSync(new URL('language.js', pages), 'utf8')) ?? [];
  t.strictSame(files, [...known.matchAll(/'(\w+)'/g)].map(([, language]) => `${language}.js`).sort());
});

for (const file of files)
  t.test(`${file} has every text of the other languages, with the same names in braces`, async (t) => {
    const texts = await textsIn(file);
    t.strictSame(shapeOf(texts), shapeOf(await textsIn('en.js')));
    for (const [path, text] of textsOf(texts)) t.match(text, /^\S(.*\S)?$/, path);
  });

/** Words that are the same in German. */
const same = new Set([
  'Live',
  'Token',
  'Filter',
  'Route',
  'Header',
  'Claims',
  'Scopes',
  'Name',
  'Upstream',
  'Upstreams',
]);
const technical = new Set(['Introspections', 'Circuit Breaker', 'Token: {kind}']);

t.test('the words of two languages differ', async (t) => {
  const german = new Map(textsOf(await textsIn('de.js')));
  for (const [path, text] of textsOf(await textsIn('en.js')))
    if (!same.has(text) && !technical.has(text)) t.not(german.get(path), text, path);
});

t.test('the modules of the pages use every text, and only texts that exist', async (t) => {
  const modules = readdirSync(pages).filter((name) => name.endsWith('.js'));
  const code = modules.map((name) => readFileSync(new URL(name, pages), 'utf8'));
  const words = code.map((text) => {
    const [, room = ''] = /const words = texts\.(\w+);/.exec(text) ?? [];
    return text.replaceAll(/\bwords\b/g, `texts.${room}`);
  });
  const used = new Set(words.flatMap((text) => text.match(/\btexts(\.\w+)+/g) ?? []));
  const paths = Object.keys(shapeOf(await textsIn('en.js')));
  for (const each of used)
    t.ok(
      paths.some((path) => `texts${path}.`.startsWith(`${each}.`)),
      `${each} exists`,
    );
  const isUsed = (path: string) =>
    [...used].some((each) => `texts${path}.`.startsWith(`${each}.`) && each.split('.').length > 2);
  t.strictSame(
    paths.filter((path) => !isUsed(path) && !byName.some((name) => path.startsWith(name))),
    [],
  );
});

/** Read with a name that is a value. */
const byName = ['.pages.', '.routes.opened', '.routes.closed'];
