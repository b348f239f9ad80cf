import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const src = fileURLToPath(new URL('../src', import.meta.url));

/**
 * Room → what it may import besides itself: rooms, or of a room only NAME.ts and NAME-*.ts, written room/NAME. The same
 * table as docs/decisions/0002-rooms.md.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  '': ['commands'],
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
    'base',
  ],
  demo: ['gateway', 'authorization', 'config', 'base'],
  supervisor: ['gateway', 'config', 'storage/counters', 'base'],
  gateway: ['config', 'storage/counters', 'storage/read', 'oauth', 'jwt', 'http-auth', 'base'],
  authorization: ['config', 'storage', 'oauth', 'jwt', 'http-auth', 'base'],
  config: ['oauth', 'jwt', 'http-auth', 'base'],
  oauth: ['base'],
  jwt: ['base'],
  'http-auth': ['base'],
  storage: ['base'],
  base: [],
};

/** Of these rooms config/ may use the tables of names only. */
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
  const rest = target.startsWith(allowed) ? target.slice(allowed.length) : '';
  return /^(-[a-z-]+)?\.ts$/.test(rest);
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

t.test('config/ takes nothing but tables of names from oauth/, jwt/ and http-auth/', async (t) => {
  const taken = [...imports]
    .filter(([file]) => room(file) === 'config')
    .flatMap(([, targets]) => targets)
    .filter((target) => ['oauth', 'jwt', 'http-auth'].includes(room(target)) && !nameTables.has(target));
  t.strictSame(taken, []);
});

t.test('no import leads back to where it came from', async (t) => {
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
});

t.test('every property is tried with the seed of test/support/properties.ts', async (t) => {
  const folder = import.meta.dirname;
  const direct = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== join('support', 'properties.ts'))
    .filter((file) => /^import .* from 'fast-check'/m.test(readFileSync(join(folder, file), 'utf8')));
  t.strictSame(direct, []);
});
