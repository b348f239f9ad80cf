import t from 'tap';
import { decider, type Request } from './decider.ts';

const route = (id: string, more: object = {}, path = '/a') => ({
  id,
  match: { path, ...more },
  access: 'public',
});

/** What is logged for a request that has no route. */
function detail(routes: readonly object[], request: Request | string): string | undefined {
  const found = decider({ routes }).route(request);
  if (found.kind !== 'refuse' || found.code !== 'route_not_found') throw new Error(JSON.stringify(found));
  return found.detail;
}

t.test('a failed condition is named, with whether its field is absent or has another value', async (t) => {
  const routes = [route('v2', { headers: { 'X-Version': '2' }, query: { beta: 'yes' } })];
  t.equal(
    detail(routes, 'GET /a'),
    'host and path match, but not the conditions: v2 (no header x-version, no query beta)',
  );
  t.equal(
    detail(routes, { line: 'GET /a?beta=no', headers: ['X-Version', '1'] }),
    'host and path match, but not the conditions: v2 (another header x-version, another query beta)',
  );
  t.equal(
    detail(routes, { line: 'GET /a?beta=yes', headers: ['X-Version', '1'] }),
    'host and path match, but not the conditions: v2 (another header x-version)',
    'what holds is not named',
  );
});

t.test('neither the expected nor the received value is logged', async (t) => {
  const told = detail([route('v2', { headers: { 'X-Secret': 'expected' } })], {
    line: 'GET /a',
    headers: ['X-Secret', 'received'],
  });
  t.equal(told, 'host and path match, but not the conditions: v2 (another header x-secret)');
});

t.test('of many routes of one path the first three are named', async (t) => {
  const routes = [1, 2, 3, 4, 5].map((n) => route(`r${n}`, { query: { v: `${n}` } }));
  t.equal(
    detail(routes.slice(0, 2), 'GET /a'),
    'host and path match, but not the conditions: r1 (no query v), r2 (no query v)',
  );
  const three = 'host and path match, but not the conditions: r1 (no query v), r2 (no query v), r3 (no query v)';
  t.equal(detail(routes.slice(0, 3), 'GET /a'), three);
  t.equal(detail(routes.slice(0, 4), 'GET /a'), `${three}, and more`);
  t.equal(detail(routes, 'GET /a'), `${three}, and more`);
});

t.test('if no route has the path there is nothing to report', async (t) => {
  t.equal(detail([route('b', { query: { v: '1' } }, '/b')], 'GET /a'), undefined);
});
