import t from 'tap';
import { parseHostPattern } from '../../../src/config/words/host-pattern.ts';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { matchConditions } from '../../../src/gateway/routing/match-conditions.ts';
import { type RoutePattern, RouteTable } from '../../../src/gateway/routing/routes.ts';
import fc from '../../support/properties.ts';
import { headOf } from '../head.ts';

interface Named extends RoutePattern {
  readonly id: string;
}

/** `id: [METHODS ]PATTERN[ @host][ public]`, a short form for a table of cases. */
function routes(...lines: string[]): Named[] {
  return lines.map((line) => {
    const [, methods, path = '', host, access = 'scope'] =
      /^(?:([A-Z,]+) )?(\S+)(?: @(\S+))?(?: (public))?$/.exec(line) ?? [];
    const pattern = parsePathPattern(path);
    if (pattern.kind === 'fault') throw new Error(pattern.message);
    return {
      id: line,
      host: host === undefined ? undefined : parseHostPattern(host),
      conditions: [],
      caseSensitive: true,
      segments: pattern.segments,
      methods: methods ? new Set(methods.split(',')) : undefined,
      access,
    };
  });
}

function matched(table: RouteTable<Named>, method: string, path: string, host = 'h') {
  const match = table.match({ host, key: path, method, query: '', head: headOf() });
  if (match.kind === 'route') return match.route.id;
  if (match.kind === 'repeated') return 400;
  return match.kind === 'not_found' ? 404 : `405 ${match.allow.join(',')}`;
}

t.test('a literal wins over {name}, {name} over {name*}, segment by segment', async (t) => {
  const table = new RouteTable(routes('/{all*}', '/a/{x}', '/a/b', '/a/{x}/c', '/{x}/b/c'));
  t.equal(matched(table, 'GET', '/a/b'), '/a/b');
  t.equal(matched(table, 'GET', '/a/z'), '/a/{x}');
  t.equal(matched(table, 'GET', '/a/b/c'), '/a/{x}/c');
  t.equal(matched(table, 'GET', '/z/b/c'), '/{x}/b/c');
  t.equal(matched(table, 'GET', '/'), '/{all*}');
});

t.test(
  '{name*} matches the rest, also an empty one and the bare prefix; {name} matches no empty segment',
  async (t) => {
    const table = new RouteTable(routes('/orders/{rest*}', '/items/{id}'));
    for (const path of ['/orders', '/orders/', '/orders/7', '/orders/7/8'])
      t.equal(matched(table, 'GET', path), '/orders/{rest*}');
    t.equal(matched(table, 'GET', '/ordersx'), 404);
    t.equal(matched(table, 'GET', '/items/'), 404);
    t.equal(matched(table, 'GET', '/items'), 404);
  },
);

t.test('a route with the host wins over every route without one', async (t) => {
  const table = new RouteTable(routes('/a/b', '/{x*} @api.example'));
  t.equal(matched(table, 'GET', '/a/b', 'api.example'), '/{x*} @api.example');
  t.equal(matched(table, 'GET', '/a/b', 'other.example'), '/a/b');
});

t.test(
  'a route that matches except for its method yields only to one that names the method and is not public',
  async (t) => {
    const table = new RouteTable(
      routes(
        'GET,HEAD /orders/{rest*}',
        'POST /orders/{id}',
        '/files/{x*} public',
        'PUT /files/a',
        'GET /docs/{x*} public',
        'PUT /docs/a',
      ),
    );
    t.equal(matched(table, 'GET', '/orders/7'), 'GET,HEAD /orders/{rest*}');
    t.equal(matched(table, 'PATCH', '/orders/7'), '405 GET,HEAD,POST');
    t.equal(matched(table, 'GET', '/files/a'), '405 PUT', 'a route for every method names none');
    t.equal(
      matched(table, 'GET', '/docs/a'),
      '405 PUT',
      'never down to a public route, whose methods Allow does not list',
    );
  },
);

t.test('routes with the same path divide it by their methods', async (t) => {
  const table = new RouteTable(routes('GET /a', 'POST /a public'));
  t.equal(matched(table, 'GET', '/a'), 'GET /a');
  t.equal(matched(table, 'POST', '/a'), 'POST /a public');
  t.equal(matched(table, 'PUT', '/a'), '405 GET,POST');
});

t.test('GET does not imply HEAD', async (t) => {
  t.equal(matched(new RouteTable(routes('GET /a')), 'HEAD', '/a'), '405 GET');
});

t.test('the order in the file does not matter', async () => {
  const lines = ['/{all*}', 'GET /a/{x}', '/a/b', 'POST /a/{x*}', '/{x}/b', '/a @h', '/{y*} @k public'];
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 4 })
    .map((segments) => `/${segments.join('/')}`);
  const inOrder = new RouteTable(routes(...lines));
  fc.assert(
    fc.property(
      fc.shuffledSubarray(lines, { minLength: lines.length }),
      path,
      fc.constantFrom('GET', 'POST'),
      fc.constantFrom('h', 'k', 'z'),
      (shuffled, target, method, host) => {
        return (
          matched(new RouteTable(routes(...shuffled)), method, target, host) === matched(inOrder, method, target, host)
        );
      },
    ),
  );
});

t.test(
  'a host pattern comes after the exact host and before no host; of two, the one with more literal labels on the right wins',
  async (t) => {
    const table = new RouteTable(
      routes('/a', '/a @{x}.example.com', '/a @api.example.com', '/a @api.{x}.com', '/a @{x}.{y}.com'),
    );
    t.equal(matched(table, 'GET', '/a', 'api.example.com'), '/a @api.example.com');
    t.equal(matched(table, 'GET', '/a', 'acme.example.com'), '/a @{x}.example.com');
    t.equal(matched(table, 'GET', '/a', 'api.other.com'), '/a @api.{x}.com');
    t.equal(matched(table, 'GET', '/a', 'www.other.com'), '/a @{x}.{y}.com');
    t.equal(matched(table, 'GET', '/a', 'deep.www.other.com'), '/a', 'a name is one label');
  },
);

t.test('literals of a case-insensitive upstream match in any case, after exact matches', async (t) => {
  const [folded] = routes('/Admin/{x}');
  const table = new RouteTable([
    { ...(folded as Named), caseSensitive: false },
    ...routes('/admin/{y}', '/{z*} public'),
  ]);
  t.equal(matched(table, 'GET', '/admin/1'), '/admin/{y}');
  t.equal(matched(table, 'GET', '/ADMIN/1'), '/Admin/{x}');
});

t.test('of routes with the same path, more conditions win, and a deciding field must not be repeated', async (t) => {
  const [plain, one, two] = routes('/a', '/a', '/a').map((route, index) => ({ ...route, id: `${index} conditions` }));
  const conditioned = (route: Named, headers: Record<string, string>): Named => ({
    ...route,
    conditions: matchConditions({ path: '/a', headers, query: {} }),
  });
  const table = new RouteTable([
    plain as Named,
    conditioned(one as Named, { 'X-V': '1' }),
    conditioned(two as Named, { 'X-V': '1', 'X-W': '2' }),
  ]);
  const ask = (...rawHeaders: string[]) => {
    const match = table.match({ host: 'h', key: '/a', method: 'GET', query: '', head: headOf(rawHeaders) });
    return match.kind === 'route' ? match.route.id : match.kind;
  };
  t.equal(ask(), '0 conditions');
  t.equal(ask('x-v', '1'), '1 conditions');
  t.equal(ask('X-V', '1', 'x-w', '2'), '2 conditions');
  t.equal(ask('x-v', '2'), '0 conditions');
  t.equal(ask('x-v', '1', 'X-V', '1'), 'repeated');
});

t.test('query parameters and SOAP actions choose a route', async (t) => {
  const holds = (match: object, rawHeaders: string[], query = '') =>
    matchConditions({ path: '/', ...match }).map((condition) =>
      condition.holds({ head: headOf(rawHeaders), query }),
    )[0];
  t.equal(holds({ query: { v: '1' } }, [], '?a=b&v=1'), 'yes');
  t.equal(holds({ query: { v: '1' } }, [], '?v=%31'), 'yes');
  t.equal(holds({ query: { v: '1' } }, [], '?v=1&v=2'), 'repeated');
  t.equal(holds({ query: { v: '1' } }, [], ''), 'no');
  const soap = { soap_action: 'urn:Get' };
  t.equal(holds(soap, ['SOAPAction', '"urn:Get"']), 'yes');
  t.equal(holds(soap, ['SOAPAction', 'urn:Get']), 'yes');
  t.equal(holds(soap, ['Content-Type', 'application/soap+xml; charset=utf-8; action="urn:Get"']), 'yes');
  t.equal(holds(soap, ['Content-Type', 'text/xml; action="urn:Get"']), 'no');
  t.equal(holds(soap, ['SOAPAction', 'urn:Get', 'Content-Type', 'application/soap+xml; action="urn:Set"']), 'repeated');
});

t.test('of two matching routes with the same number of conditions, their text decides and not the file', async (t) => {
  const conditioned = (name: string): Named => {
    const [route] = routes('/a') as [Named];
    return { ...route, id: name, conditions: matchConditions({ path: '/a', headers: { [name]: '1' } }) };
  };
  const both = [conditioned('x-a'), conditioned('x-b')];
  const head = headOf(['X-A', '1', 'X-B', '1']);
  for (const inFile of [both, both.toReversed()]) {
    const match = new RouteTable(inFile).match({ host: 'h', key: '/a', method: 'GET', query: '', head });
    t.equal(match.kind === 'route' && match.route.id, 'x-a');
  }
});
