import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { storageUrls } from '../../src/base/storage-urls.ts';
import { storageEngines } from '../../src/storage/engines.ts';

const root = new URL('../../', import.meta.url);

t.test('every storage URL has an engine, and every engine a URL', async (t) => {
  t.strictSame(
    storageEngines.map(({ name, schemes, pattern }) => ({ name, schemes, pattern })),
    Object.values(storageUrls).map(({ name, schemes, pattern }) => ({ name, schemes, pattern })),
  );
});

/** Outside of the folders of the engines: each with its reason. */
const named: Readonly<Record<string, string>> = {
  'src/base/storage-urls.ts': 'the row of the grammar',
  'src/storage/engines.ts': 'the row of the engine',
  'src/storage/migrations/0003-events.ts': 'what only one engine can do',
  'src/storage/migrations/journal.ts': 'the same, in its checksum',
  'src/storage/migrations/migration.ts': 'the same, as a member',
  'src/config/rules/store.ts': 'an example in a hint',
  'src/commands/doctor/storage.ts': 'an example in a hint',
  'src/config/schema/authorization.ts': 'the default',
  'src/config/schemes/digest/schema.ts': 'a description that tells of the default',
  'src/demo/files.ts': 'what the demo writes into its file',
};

t.test('an engine is named only in its folder, in its two rows, and as an example', async (t) => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !/^src\/storage\/(sqlite|postgres)\//.test(file),
  );
  const naming = files.filter((file) => /sqlite|postgres/i.test(codeOf(readFileSync(new URL(file, root), 'utf8'))));
  t.strictSame(naming.sort(), Object.keys(named).sort());
});

t.test('code that only reads a store loads nothing that opens one for writing', async (t) => {
  const loaded = new Set<string>();
  const visit = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const imports = readFileSync(new URL(file, root), 'utf8').matchAll(
      /^(?:import|export) (?!type ).*? from '(\.[^']+)';/gms,
    );
    for (const [, to = ''] of imports) visit(join(dirname(file), to));
  };
  for (const file of ['open-lookup', 'open-users', 'store-state']) visit(`src/storage/${file}.ts`);
  t.ok(loaded.has('src/storage/engines.ts') && loaded.has('src/storage/sqlite/read.ts'));
  t.strictSame(
    [...loaded].filter((file) => /\/(open|migrate|group-commit|records)\.ts$/.test(file)),
    [],
  );
});

/** Without the comments. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}
