import t from 'tap';
import { configurationKeys } from '../../tools/configuration-page.ts';
import { generated, staleFiles } from '../../tools/generate.ts';

t.test('every generated file is up to date: `npm run generate` writes them', async (t) => {
  t.strictSame(staleFiles(), []);
});

t.test('the schemas contain only keywords that editors know', async (t) => {
  t.notMatch(generated()['config/gateway.schema.json'], /"unit"|"keys": "|~kind/);
  t.match(generated()['config/gateway.schema.json'], /"description"/);
});

t.test('every key of both files is in the reference once, with a form and a description', async (t) => {
  const page = generated()['docs/configuration.md'] as string;
  for (const { path, form, description } of configurationKeys()) {
    t.ok(form !== '' && description !== '', path);
    t.ok(page.includes(`| \`${path}\` | `), path);
  }
  const [gateway = '', authorization = ''] = page.split('## authorization.yaml');
  for (const file of [gateway, authorization]) {
    const paths = [...file.matchAll(/^\| `([^`]+)` \| /gm)].map(([, path]) => path);
    t.equal(new Set(paths).size, paths.length);
  }
});

t.test('the description of every key is whole sentences', async (t) => {
  for (const { path, description } of configurationKeys()) {
    t.match(description, /^(?:[A-Z`]|[a-z_]+\b[^.]* ).*\.$/s, path);
    t.notMatch(description, /…$|^…|^(?:Absent|Default|File|For|In|Between|Or|With) |; above: \d/, path);
    t.ok(description.split(' ').length >= 4, `${path}: ${description}`);
  }
});
