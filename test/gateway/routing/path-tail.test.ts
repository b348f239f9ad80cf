import t from 'tap';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { tailOf } from '../../../src/gateway/routing/route-tree.ts';
import { fitsTail } from '../../../src/gateway/routing/route-walk.ts';
import { type RoutePattern, RouteTable } from '../../../src/gateway/routing/routes.ts';
import { headOf } from '../head.ts';

function placed(path: string, caseSensitive = true): RoutePattern {
  const parsed = parsePathPattern(path);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  return {
    host: undefined,
    segments: parsed.segments,
    methods: undefined,
    conditions: [],
    caseSensitive,
    access: 'scope',
  };
}

const fits = (pattern: string, key: string, caseSensitive = true) =>
  fitsTail(tailOf(placed(pattern, caseSensitive), 0), key, 1);

/** Whether a table with only this route, and a table with others, find it. */
function found(pattern: string, key: string, caseSensitive = true): readonly boolean[] {
  const route = placed(pattern, caseSensitive);
  const others = ['/zz', '/zz/{y}', '/zz/{y}/q', '/zz/{y}/{z*}'].map((each) => placed(each, caseSensitive));
  const question = { host: 'h', key, method: 'GET', query: '', head: headOf() };
  return [[route], [route, ...others]].map((routes) => {
    const table = new RouteTable(routes);
    const match = table.match(question);
    const isPlaced = [...table.placed(question)].includes(route);
    t.equal(isPlaced, match.kind === 'route' && match.route === route, `${pattern} is placed at ${key}`);
    return match.kind === 'route' && match.route === route;
  });
}

const yes: readonly [pattern: string, key: string][] = [
  ['/', '/'],
  ['/a', '/a'],
  ['/a/b/c', '/a/b/c'],
  ['/a/{x}/c', '/a/1/c'],
  ['/a/{x}', '/a/1'],
  ['/{x}', '/1'],
  ['/{x}/b', '/1/b'],
  ['/{r*}', '/'],
  ['/a/{r*}', '/a'],
  ['/a/{r*}', '/a/'],
  ['/a/{r*}', '/a/b//c/'],
  ['/a/{x}/{r*}', '/a/1'],
  ['/a/', '/a/'],
];
const no: readonly [pattern: string, key: string][] = [
  ['/a', '/'],
  ['/a', '/b'],
  ['/a', '/aa'],
  ['/a', '/a/'],
  ['/a', '/a/b'],
  ['/ab', '/a'],
  ['/a/b/c', '/a/x/c'],
  ['/a/b/c', '/a/b/x'],
  ['/a/b/c', '/a/b'],
  ['/a/b/c', '/a/b/c/d'],
  ['/a/b', '/a/bb'],
  ['/a/{x}', '/a/'],
  ['/a/{x}', '/a'],
  ['/a/{x}/c', '/a//c'],
  ['/a/{x}/c', '/a/1/d'],
  ['/{x}', '/'],
  ['/{x}/b', '//b'],
  ['/a/{r*}', '/b'],
  ['/a/{r*}', '/aa'],
  ['/a/b/{r*}', '/a'],
  ['/a/{x}/{r*}', '/a/'],
  ['/a/', '/a'],
  ['/a', '/A'],
];

t.test('a pattern matches a path segment by segment, alone in its table and among others', async (t) => {
  for (const [pattern, key] of yes) {
    t.ok(fits(pattern, key), `${pattern} ${key}`);
    t.strictSame(found(pattern, key), [true, true], `${pattern} ${key}`);
  }
  for (const [pattern, key] of no) {
    t.notOk(fits(pattern, key), `${pattern} ${key}`);
    t.strictSame(found(pattern, key), [false, false], `${pattern} ${key}`);
  }
});

t.test('if the upstream ignores case, literals match in any case, and nothing else changes', async (t) => {
  for (const [pattern, key] of yes) t.ok(fits(pattern.toUpperCase(), key, false), `${pattern} ${key}`);
  for (const [pattern, key] of no.slice(0, -1)) t.notOk(fits(pattern, key, false), `${pattern} ${key}`);
  for (const key of ['/a/B', '/A/b', '/A/B']) {
    t.ok(fits('/a/b', key, false), key);
    t.strictSame(found('/a/b', key, false), [true, true], key);
    t.notOk(fits('/a/b', key), key);
  }
  t.strictSame(found('/A/B', '/a/b', false), [true, true]);
});

t.test('an encoded literal of the file is found in its own spelling and decoded, alone and among others', async (t) => {
  for (const caseSensitive of [true, false])
    for (const key of ['/x/a%3Ab/c', '/x/a:b/c']) {
      t.ok(fits('/x/a%3Ab/c', key, caseSensitive), key);
      t.strictSame(found('/x/a%3Ab/c', key, caseSensitive), [true, true], key);
    }
  t.ok(fits('/x/A%3Ab', '/x/a%3aB', false));
  for (const key of ['/x/a%3Bb/c', '/x/ab/c', '/x/A%3Ab/c']) t.notOk(fits('/x/a%3Ab/c', key), key);
});
