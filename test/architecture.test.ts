import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const src = fileURLToPath(new URL('../src', import.meta.url));

/**
 * Room → what it may import: other rooms, or one folder or file of a room. The same table as
 * docs/decisions/0002-rooms.md.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  '': ['commands', 'base/package-file'],
  commands: [
    'demo',
    'supervisor',
    'gateway',
    'authorization',
    'config',
    'oauth',
    'jwt',
    'http-auth',
    'storage',
    'counters',
    'base',
  ],
  demo: ['gateway', 'authorization', 'config', 'base'],
  supervisor: ['gateway', 'config', 'counters', 'base'],
  gateway: [
    'config',
    'counters',
    'storage/lookup',
    'storage/open-lookup',
    'storage/open-users',
    'oauth',
    'jwt',
    'http-auth',
    'base',
  ],
  authorization: ['config', 'storage', 'counters', 'oauth', 'jwt', 'http-auth', 'base'],
  config: ['oauth', 'jwt', 'http-auth', 'base'],
  oauth: ['base'],
  jwt: ['base'],
  'http-auth': ['base'],
  storage: ['base'],
  counters: ['base'],
  base: [],
};

/**
 * Room → its folders from the bottom up. A folder imports only folders that are listed before it, types included. `.`:
 * the files directly in the room.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    'message',
    'routing',
    'mcp',
    'upstreams',
    'server-client',
    'schemes',
    'decide',
    'telemetry',
    'client',
    'forward',
    'revocation',
    'receiver',
    'verify',
    'generation',
    'listener',
    'explain',
    'diff',
    'compile',
    'shadow',
    'console',
    'lifecycle',
  ],
  authorization: [
    'feed',
    'telemetry',
    'clients',
    'people',
    'pages',
    'keys',
    'outbound',
    'documents',
    'service',
    'http',
    'login',
    'tokens',
    'openid',
    'outbox',
    'logout',
    'security-events',
    'browser',
    'grants',
    'back-channel',
    'registration',
    'browserless',
    '.',
  ],
  commands: [
    'common',
    'completion',
    'administration',
    'shadow',
    'doctor',
    'openapi',
    'compile',
    'explain',
    'http-users',
    'init',
    'login',
    'live',
    'top',
    '.',
  ],
  config: ['words', 'files', 'schemes', 'schema', 'yaml', 'validate', 'rules', 'load', 'show'],
  storage: ['engine', 'migrations', 'records', 'lookup', 'sqlite', 'postgres', '.'],
};

/** config/ may use only the tables of names of these rooms. */
const nameTables = new Set(['jwt/algorithms.ts', 'http-auth/digest-algorithms.ts']);

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  const named = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...named].map(([, path]) => relative(src, join(src, dirname(file), path as string)));
}

function isAllowed(target: string, allowed: string): boolean {
  if (!allowed.includes('/')) return room(target) === allowed;
  return target === `${allowed}.ts` || target.startsWith(`${allowed}/`);
}

function room(file: string): string {
  return file.includes('/') ? (file.split('/')[0] as string) : '';
}

t.test('every folder of src is a room of the table', async (t) => {
  t.strictSame(
    [...new Set(files.map(room))].filter((name) => mayImport[name] === undefined),
    [],
  );
});

t.test('a room imports only the rooms that the table allows', async (t) => {
  const forbidden = [...imports].flatMap(([file, targets]) =>
    targets
      .filter(
        (target) =>
          room(target) !== room(file) &&
          !target.startsWith('..') &&
          !mayImport[room(file)]?.some((allowed) => isAllowed(target, allowed)),
      )
      .map((target) => `${file} → ${target}`),
  );
  t.strictSame(forbidden, []);
});

function folder(file: string): string {
  const [, name, ...rest] = file.split('/');
  return rest.length > 0 ? (name as string) : '.';
}

for (const [name, order] of Object.entries(layers)) {
  const inside = [...imports].filter(([file]) => room(file) === name);

  t.test(`every folder of ${name}/ has a place in its order`, async (t) => {
    t.strictSame(new Set(inside.map(([file]) => folder(file))), new Set(order));
  });

  t.test(`a folder of ${name}/ imports only folders that are listed before it`, async (t) => {
    const place = (file: string) => order.indexOf(folder(file));
    const upwards = inside.flatMap(([file, targets]) =>
      targets.filter((to) => room(to) === name && place(to) > place(file)).map((to) => `${file} → ${to}`),
    );
    t.strictSame(upwards, []);
    t.comment(`${inside.length} files in ${order.length} folders, 0 cycles between folders`);
  });
}

t.test('docs/decisions/0002-rooms.md shows these orders', async (t) => {
  const page = readFileSync(new URL('../docs/decisions/0002-rooms.md', import.meta.url), 'utf8');
  for (const [name, order] of Object.entries(layers)) t.match(page, `| ${name} | ${order.join(' < ')} |`);
});

t.test('config/ imports only tables of names from oauth/, jwt/ and http-auth/', async (t) => {
  const taken = [...imports]
    .filter(([file]) => room(file) === 'config')
    .flatMap(([, targets]) => targets)
    .filter((target) => ['oauth', 'jwt', 'http-auth'].includes(room(target)) && !nameTables.has(target));
  t.strictSame(taken, []);
});

t.test('imports form no cycle', async (t) => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  t.strictSame(
    files.map((file) => visit(file, [])).filter((cycle) => cycle !== undefined),
    [],
  );
  t.comment(`${files.length} files, 0 cycles`);
});

t.test('every property test uses the seed of test/support/properties.ts', async (t) => {
  const folder = import.meta.dirname;
  const direct = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== join('support', 'properties.ts'))
    .filter((file) => /^import .* from 'fast-check'/m.test(readFileSync(join(folder, file), 'utf8')));
  t.strictSame(direct, []);
});
