import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { schemeNames } from '../src/config/schema/http-schemes.ts';

/** Files with the rows. With these, a scheme consists only of its own folders. */
const tables = ['config/schemes/table.ts', 'gateway/schemes/table.ts'];

/** Other uses of these names, which are not about credentials of a request to the gateway. */
const namesakes: Readonly<Record<string, string>> = {
  'cli.ts': 'a command',
  'config/rules/admin.ts': 'a key of `admin.access`, for operators',
  'config/rules/upstream-credentials.ts': 'credentials of the gateway, for an upstream',
  'commands/digest.ts': 'a command',
  'gateway/forward/upstream-fields.ts': 'a header',
  'gateway/upstreams/open-upstream.ts': 'credentials of the gateway, for an upstream',
  'gateway/upstreams/upstream.ts': 'credentials of the gateway, for an upstream',
  'gateway/schemes/user-store.ts': 'a kind of users in a store',
  'storage/lookup/users.ts': 'a kind of users in a store',
};

const src = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }));

/** The folders of a scheme, and its grammar. */
const own = /^(?:(?:config|gateway)\/schemes\/[^/]+|http-auth)\//;

t.test('only its own folders and the two tables import a scheme', async (t) => {
  for (const name of schemeNames) {
    const folder = new RegExp(`^(?:config|gateway)/schemes/${name}/`);
    const others = files.filter(
      ({ file, text }) => !folder.test(file) && targetsOf(file, text).some((to) => folder.test(to)),
    );
    t.strictSame(others.map(({ file }) => file).sort(), tables);
  }
});

t.test("no file outside of a scheme's folders mentions its name", async (t) => {
  const named = new RegExp(`['"\`](?:${schemeNames.join('|')})['"\`]`);
  const found = files.filter(({ file, text }) => !own.test(file) && named.test(withoutComments(text)));
  t.strictSame(found.map(({ file }) => file).sort(), Object.keys(namesakes).sort());
});

t.test('a scheme needs two edited files, with a row in each table; the toy has no more', async (t) => {
  const toy = new URL('./toys/scheme/', import.meta.url);
  const entries = readdirSync(toy, { withFileTypes: true });
  const [folders, rows] = [true, false].map((is) =>
    entries.filter((each) => each.isDirectory() === is).map(({ name }) => name),
  );
  t.strictSame(folders, ['signature'], 'its folder');
  t.strictSame(rows?.sort(), ['config-table.ts', 'gateway-table.ts', 'signature.test.ts', 'tables.ts']);
  const replaced = readFileSync(new URL('tables.ts', toy), 'utf8').matchAll(/src\/([a-z/-]+\.ts)/g);
  t.strictSame(
    [...replaced].map(([, file]) => file),
    tables,
    'no other file of the product is replaced',
  );
});

function targetsOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => relative(src, join(src, dirname(file), to)));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
