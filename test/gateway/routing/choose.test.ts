import t from 'tap';
import { parseHostPattern } from '../../../src/config/words/host-pattern.ts';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { matchConditions } from '../../../src/gateway/routing/match-conditions.ts';
import { type RoutePattern, RouteTable } from '../../../src/gateway/routing/routes.ts';
import { headOf } from '../head.ts';

interface Named extends RoutePattern {
  readonly id: string;
}

interface More {
  readonly methods?: readonly string[];
  readonly headers?: Record<string, string>;
  readonly access?: string;
  readonly host?: string;
}

function route(id: string, path: string, { methods, headers = {}, access = 'scope', host }: More = {}): Named {
  const parsed = parsePathPattern(path);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  return {
    id,
    host: host === undefined ? undefined : parseHostPattern(host),
    segments: parsed.segments,
    methods: methods && new Set(methods),
    conditions: matchConditions({ path, headers }),
    caseSensitive: true,
    access,
  };
}

function told(routes: readonly Named[], line: string, headers: readonly string[] = [], host = 'h'): string {
  const [method = '', key = ''] = line.split(' ');
  const answers = [routes, routes.toReversed()].map((each) => {
    const match = new RouteTable(each).match({ host, key, method, query: '', head: headOf(headers) });
    if (match.kind === 'route') return match.route.id;
    if (match.kind === 'repeated') return `repeated at ${match.route.id}`;
    return match.kind === 'not_found' ? '404' : `405 ${match.allow.join(',')}`;
  });
  return answers[0] === answers[1] ? (answers[0] ?? '') : `the order decides: ${answers.join(' or ')}`;
}

const beta = ['X-Beta', '1'];
const strict = { methods: ['GET'], headers: { 'x-beta': '1' } };

t.test('a route with fewer conditions does not open a method that a route with more conditions forbids', async (t) => {
  for (const access of ['public', 'scope']) {
    const routes = [route('beta', '/a', strict), route('wide', '/a', { access })];
    t.equal(told(routes, 'GET /a', beta), 'beta');
    t.equal(told(routes, 'POST /a', beta), '405 GET', access);
    t.equal(told(routes, 'POST /a'), 'wide');
  }
  const named = [route('beta', '/a', strict), route('wide', '/a', { methods: ['POST'] })];
  t.equal(told(named, 'POST /a', beta), 'wide', 'one that names the method is meant');
  const open = [route('beta', '/a', strict), route('wide', '/a', { methods: ['POST'], access: 'public' })];
  t.equal(told(open, 'POST /a', beta), '405 GET', 'unless it is public, and then Allow does not list it');
});

t.test('a wider path does not open a method that a more specific path forbids, alone or among others', async (t) => {
  for (const wide of ['/a/{x}', '/a/{r*}', '/{r*}'])
    for (const access of ['public', 'scope']) {
      const routes = [route('b', '/a/b', { methods: ['PUT'] }), route('wide', wide, { access })];
      t.equal(told(routes, 'GET /a/b'), '405 PUT', `${wide} ${access}`);
      t.equal(told(routes, 'GET /a/c'), 'wide');
      const more = [...routes, route('beta', wide, { headers: { 'x-beta': '1' }, access })];
      t.equal(told(more, 'GET /a/b'), '405 PUT', `${wide} ${access}, among others`);
      t.equal(told(more, 'GET /a/b', beta), '405 PUT');
      t.equal(told(more, 'GET /a/c', beta), 'beta');
    }
});

t.test('a wider host does not open it either', async (t) => {
  const routes = [route('host', '/a', { methods: ['PUT'], host: 'h' }), route('any', '/a')];
  t.equal(told(routes, 'GET /a'), '405 PUT');
  t.equal(told(routes, 'GET /a', [], 'other'), 'any');
});

t.test('a deciding field that is repeated ends the search, whatever route would match', async (t) => {
  const twice = [...beta, ...beta];
  const routes = [
    route('beta', '/a/b', { headers: { 'x-beta': '1' } }),
    route('plain', '/a/b'),
    route('wide', '/a/{x}'),
    route('wider', '/{r*}', { access: 'public' }),
  ];
  t.equal(told(routes, 'GET /a/b', twice), 'repeated at beta');
  t.equal(told(routes.slice(0, 1).concat(routes.slice(2)), 'GET /a/b', twice), 'repeated at beta');
  t.equal(told([routes[0] as Named, routes[3] as Named], 'GET /a/b', twice), 'repeated at beta');
  t.equal(told(routes, 'GET /a/c', twice), 'wide', 'where it decides nothing it may stand twice');
  const hosts = [route('host', '/a', { headers: { 'x-beta': '1' }, host: 'h' }), route('any', '/a')];
  t.equal(told(hosts, 'GET /a', twice), 'repeated at host');
});

t.test(
  'hosts are tried from the most specific: the whole name, then patterns with more literal labels on the right, then any',
  async (t) => {
    const routes = [
      route('exact', '/a', { host: 'a.b.example' }),
      route('one', '/a', { host: '{x}.b.example' }),
      route('other', '/a', { host: 'a.{y}.example' }),
      route('any', '/a'),
    ];
    t.equal(told(routes, 'GET /a', [], 'a.b.example'), 'exact');
    t.equal(told(routes.slice(1), 'GET /a', [], 'a.b.example'), 'one');
    t.equal(told(routes.slice(2), 'GET /a', [], 'a.b.example'), 'other');
    t.equal(told(routes, 'GET /a', [], 'z.b.example'), 'one');
    t.equal(told(routes, 'GET /a', [], 'a.z.example'), 'other');
    t.equal(told(routes, 'GET /a', [], 'example'), 'any');
    t.equal(told(routes.slice(0, 3), 'GET /a', [], 'example'), '404');
  },
);
