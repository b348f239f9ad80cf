import t from 'tap';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { judgeTarget } from '../../../src/gateway/message/target.ts';
import { matchConditions } from '../../../src/gateway/routing/match-conditions.ts';
import { ambiguityDetail, matchReadings, type RoutePattern, RouteTable } from '../../../src/gateway/routing/routes.ts';

interface Rule extends RoutePattern {
  readonly id: string;
}

function rule(
  path: string,
  { methods, caseSensitive = true }: { methods?: string[]; caseSensitive?: boolean } = {},
): Rule {
  const pattern = parsePathPattern(path);
  if (pattern.kind === 'fault') throw new Error(pattern.message);
  const conditions = matchConditions({ path });
  const names = methods && new Set(methods);
  return {
    id: path,
    host: undefined,
    segments: pattern.segments,
    methods: names,
    conditions,
    caseSensitive,
    access: 'scope',
  };
}

const head = { fields: [] } as never;

/** The id of the route that both readings find, or what is found instead. */
function found(rules: readonly Rule[], target: string, method = 'GET'): string {
  const judged = judgeTarget(method, target);
  if (judged.kind === 'refused') return judged.code;
  const question = { host: 'a', key: judged.key, method, head, query: judged.query };
  const match = matchReadings(new RouteTable(rules), question, judged);
  return match.kind === 'route' ? match.route.id : match.kind;
}

t.test('a path whose readings find different routes is ambiguous', async (t) => {
  const rules = ['/v1/{rest*}', '/v1/users:purge', '/v1/@admin', '/v1/items(1)', '/v1/a+b'].map((path) => rule(path));
  for (const path of ['/v1/users%3Apurge', '/v1/users%3apurge', '/v1/%40admin', '/v1/items%281%29', '/v1/a%2Bb'])
    t.equal(found(rules, path), 'ambiguous', path);
  for (const path of ['/v1/users:purge%20', '/v1/users:purge%3Fx', '/v1/users:purge%23/y', '/v1/users:purge%c2%a0'])
    t.equal(found(rules, path), 'ambiguous', path);
});

t.test(
  'a path is ambiguous if one server decodes it, another ends it at a character, and a third drops blanks',
  async (t) => {
    const rules = ['/v1/{rest*}', '/v1/k=v/{id}', '/v1/{id}/@keys'].map((path) => rule(path));
    for (const path of [
      '/v1/k%3dv/%23x',
      '/v1/k%3dv/%20',
      '/v1/x%3Fy/%40keys',
      '/v1/%20/%40keys%3Fx',
      '/v1/x%20/%40keys',
    ])
      t.equal(found(rules, path), 'ambiguous', path);
  },
);

t.test('a path for which only one reading finds a route is ambiguous', async (t) => {
  t.equal(found([rule('/users:purge')], '/users%3Apurge'), 'ambiguous');
  t.equal(found([rule('/a/{id}')], '/a/%20'), 'ambiguous');
  t.equal(found([rule('/a/{id}')], '/a/%3Fx'), 'ambiguous');
});

t.test('a path whose readings find one route has that route', async (t) => {
  const rules = ['/users/{id}', '/q/{text}', '/v1/{rest*}'].map((path) => rule(path));
  t.equal(found(rules, '/users/a%40b.example'), '/users/{id}');
  t.equal(found(rules, '/q/what%3F'), '/q/{text}');
  t.equal(found(rules, '/v1/Items(%27a%27)'), '/v1/{rest*}');
  t.equal(found(rules, '/v1/100%25'), '/v1/{rest*}');
});

t.test('a path without a route in any reading is not found, and one whose method does not match says so', async (t) => {
  t.equal(found([rule('/a')], '/b%3A'), 'not_found');
  t.equal(found([rule('/a/{id}', { methods: ['GET'] })], '/a/b%3A', 'PUT'), 'method_not_allowed');
});

t.test('an octet of Latin-1 is ambiguous if its letter has its own route, and otherwise unchanged', async (t) => {
  const rules = ['/caf%C3%A9/{rest*}', '/admin', '/{rest*}'].map((path) => rule(path));
  for (const path of ['/caf%e9/x', '/admin%A0', '/admin%85']) t.equal(found(rules, path), 'ambiguous', path);
  t.equal(found(rules, '/b%fccher/x'), '/{rest*}');
});

t.test('a literal of the file matches in its own spelling and in the decoded one', async (t) => {
  const rules = ['/users%3Apurge', '/caf%C3%A9/{x}', '/a%20b', '/{rest*}'].map((path) => rule(path));
  for (const [path, wanted] of [
    ['/users%3Apurge', '/users%3Apurge'],
    ['/users%3apurge', '/users%3Apurge'],
    ['/users:purge', '/users%3Apurge'],
    ['/caf%c3%a9/1', '/caf%C3%A9/{x}'],
    ['/a%20b', '/a%20b'],
    ['/a%20b%20', 'ambiguous'],
  ] as const)
    t.equal(found(rules, path), wanted, path);
});

t.test('without case sensitivity, the case of no Unicode letter counts', async (t) => {
  const rules = [rule('/ci/caf%C3%A9/{x}', { caseSensitive: false }), rule('/{rest*}', { caseSensitive: false })];
  for (const path of ['/ci/caf%C3%A9/1', '/ci/CAF%C3%89/1', '/CI/Caf%c3%89/1'])
    t.equal(found(rules, path), '/ci/caf%C3%A9/{x}', path);
});

t.test('the report of an ambiguous path names the routes of both readings', async (t) => {
  const route = { id: 'purge' };
  const detail = ambiguityDetail({ kind: 'ambiguous', readings: [{ kind: 'not_found' }, { kind: 'route', route }] });
  t.equal(detail, 'raw: no route; decoded: `purge`');
});
