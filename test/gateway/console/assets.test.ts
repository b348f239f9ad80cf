import { gzipSync } from 'node:zlib';
import t from 'tap';
import { behind, gateway } from '../../support/gateway.ts';

const BUDGET = 80 * 1024;

function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:src|href)="([^"]+)"|"(\/console\/files\/[^"]+)"/g)].map(
    ([, one, other]) => one ?? (other as string),
  );
}

/** The name of a language's texts, in a module that loads those of one language. */
const LANGUAGE = /import\(`(\.\/texts\/)\$\{language\}(\.js)`\)/;
const languages = ['en', 'de'];

/** Modules that a module loads: always, and for any of the languages. */
function modulesIn(text: string): readonly string[] {
  const always = [...text.matchAll(/from '(\.\/[^']+)'/g)].map(([, name]) => name as string);
  const [, before, after] = LANGUAGE.exec(text) ?? [];
  return before === undefined ? always : [...always, ...languages.map((each) => before + each + after)];
}

/** Every file that a page loads, directly or as a module. */
async function filesOf(admin: string): Promise<ReadonlyMap<string, { body: Buffer; headers: Headers }>> {
  const files = new Map<string, { body: Buffer; headers: Headers }>();
  const load = async (path: string) => {
    if (files.has(path)) return;
    const response = await fetch(admin + path);
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    files.set(path, { body, headers: response.headers });
    const modules = path.endsWith('.js') ? modulesIn(body.toString()) : [];
    for (const name of modules) await load(new URL(name, admin + path).pathname);
    if (path === '/console/live') for (const each of pathsIn(body.toString())) await load(each);
  };
  await load('/console/live');
  return files;
}

t.test('all files of the pages in one language together have at most 80 KiB, compressed', async (t) => {
  const { adminUrl } = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  const files = await filesOf(adminUrl as string);
  const sizes = [...files].map(([path, { body }]) => ({
    isTexts: path.includes('/texts/'),
    size: gzipSync(body).length,
  }));
  const [texts = [], others = []] = [true, false].map((is) => sizes.filter(({ isTexts }) => isTexts === is));
  t.equal(texts.length, languages.length);
  const sum = others.reduce((total, { size }) => total + size, Math.max(...texts.map(({ size }) => size)));
  t.comment(`${files.size} files, ${sum} bytes`);
  t.ok(files.size > 15);
  t.ok(sum <= BUDGET, `${sum} bytes`);
});

t.test('no file can be framed, guessed as another type, or loaded by another origin', async (t) => {
  const { adminUrl } = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  for (const [path, { headers }] of await filesOf(adminUrl as string)) {
    t.match(headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/, path);
    t.equal(headers.get('x-frame-options'), 'DENY', path);
    t.equal(headers.get('x-content-type-options'), 'nosniff', path);
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
    const isPage = path === '/console/live';
    t.equal(headers.get('cache-control'), isPage ? 'no-store' : 'public, max-age=31536000, immutable', path);
  }
});

t.test('the policy of a page allows one inline element by its hash, no evaluation, and no text as code', async (t) => {
  const { adminUrl } = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  for (const name of ['live', 'routes', 'playground', 'token', 'health']) {
    const { headers } = await fetch(`${adminUrl}/console/${name}`);
    const policy = headers.get('content-security-policy') as string;
    t.notMatch(policy, /unsafe|\*|https?:/);
    t.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
    t.match(policy, /script-src 'self' 'sha256-[^ ]+';/);
  }
});
