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

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Which nodes import which other nodes. `nodeOf` says to which node a file belongs. */
function edges(
  from: Iterable<readonly [string, readonly string[]]>,
  counts: (file: string) => boolean,
  nodeOf: (file: string) => string,
): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of from) {
    const node = nodeOf(file);
    const others = targets.filter((target) => counts(target)).map(nodeOf);
    const known = graph.get(node) ?? new Set<string>();
    graph.set(node, new Set([...known, ...others.filter((other) => other !== node)]));
  }
  return graph;
}

/** Cycles without common nodes: none only if the graph has none. */
function cyclesOf(graph: Graph): readonly (readonly string[])[] {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  const found = (node: string) => {
    const cycle = visit(node, []);
    for (const each of cycle ?? []) done.add(each);
    return cycle;
  };
  return [...graph.keys()].map(found).filter((cycle) => cycle !== undefined);
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
    const knots = cyclesOf(edges(inside, (file) => room(file) === name, folder));
    t.strictSame(knots, []);
    t.comment(`${inside.length} files in ${order.length} folders, ${knots.length} cycles between folders`);
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
  const cycles = cyclesOf(edges(imports, (file) => imports.has(file), String));
  t.strictSame(cycles, []);
  t.comment(`${files.length} files, ${cycles.length} cycles`);
});

/**
 * A nested folder and its parent may import each other only here. Some files of the parent lie below the nested
 * folders: types and functions that all of them share. The others lie above: they name the nested folders. A nested
 * folder imports only files below it. In all other places, the imports between the two go one way.
 */
const parents: Readonly<Record<string, string>> = {
  'authorization/tokens': 'token-kinds.ts is the table of kinds/, and each row has the type of token-kind.ts',
  'config/schemes': 'table.ts is the table of the schemes, and each scheme has the type of scheme.ts',
  'gateway/compile': 'targets.ts is the table of the targets, and each target renders the plan of plan.ts',
  'gateway/console': 'console.ts opens the parts, and each part refuses by api-error.ts',
  'gateway/listener': 'server.ts opens http1/, which keeps the order of response-order.ts',
  'gateway/schemes': 'table.ts is the table of the schemes, and each scheme has the type of scheme.ts',
  'gateway/upstreams': 'engine-choice.ts names own/, which implements the type of engine.ts',
};

const isNestedIn = (folder: string, file: string) => file.startsWith(`${folder}/`) && dirname(file) !== folder;

/** Whether a file imports a folder that is nested in its own, or a neighbor does for it. */
function isAbove(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const inFolder = (imports.get(file) ?? []).filter((to) => to.startsWith(`${dirname(file)}/`));
  return inFolder.some((to) => isNestedIn(dirname(file), to) || isAbove(to, seen));
}

t.test('a nested folder imports no file of its parent that imports a nested folder', async (t) => {
  const half = (file: string) => (isAbove(file) ? `${dirname(file)} (above)` : dirname(file));
  const cycles = cyclesOf(edges(imports, (file) => imports.has(file) && room(file) !== '', half));
  t.strictSame(cycles, []);
  const folders = new Set(files.map((file) => dirname(file)));
  t.comment(`${folders.size} folders, ${cycles.length} cycles between nested folders`);
});

t.test('a nested folder and its parent import each other only where this file says why', async (t) => {
  const folders = [...new Set(files.map((file) => dirname(file)))].filter((name) => name.includes('/'));
  const both = folders.filter((name) => {
    const down = files.some((file) => dirname(file) === name && imports.get(file)?.some((to) => isNestedIn(name, to)));
    const up = files.some((file) => isNestedIn(name, file) && imports.get(file)?.some((to) => dirname(to) === name));
    return down && up;
  });
  t.strictSame(both.sort(), Object.keys(parents));
  for (const name of both) {
    const own = files.filter((file) => dirname(file) === name);
    t.comment(`${name}: ${own.filter((file) => isAbove(file)).length} of ${own.length} files above its folders`);
  }
});

t.test('this test finds a cycle between nodes', async (t) => {
  const graph = (pairs: readonly [string, string][]) =>
    edges(
      pairs.map(([from, to]) => [from, [to]] as const),
      () => true,
      dirname,
    );
  t.strictSame(
    cyclesOf(
      graph([
        ['a/x', 'b/x'],
        ['b/y', 'a/y'],
      ]),
    ),
    [['a', 'b', 'a']],
  );
  t.strictSame(
    cyclesOf(
      graph([
        ['a/x', 'b/x'],
        ['b/y', 'c/y'],
      ]),
    ),
    [],
  );
});

t.test('every property test uses the seed of test/support/properties.ts', async (t) => {
  const folder = import.meta.dirname;
  const direct = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== join('support', 'properties.ts'))
    .filter((file) => /^import .* from 'fast-check'/m.test(readFileSync(join(folder, file), 'utf8')));
  t.strictSame(direct, []);
});
