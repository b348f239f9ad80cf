import t from 'tap';
import type { RouteConfig } from '../../../src/config/gateway.ts';
import { matchConditions, valuesOf } from '../../../src/gateway/routing/match-conditions.ts';
import type { Route } from '../../../src/gateway/routing/route.ts';
import { unmetDetail } from '../../../src/gateway/routing/unmet-conditions.ts';
import { headOf } from '../head.ts';

const of = (match: Partial<RouteConfig['match']>) => matchConditions({ path: '/', ...match });

function held(match: Partial<RouteConfig['match']>, headers: readonly string[] = [], query = '') {
  return of(match).map((condition) => condition.holds({ head: headOf(headers), query }));
}

t.test('a header must have the value, once, whatever the case of its name', async (t) => {
  const match = { headers: { 'X-Beta': '1' } };
  t.strictSame(held(match, ['x-beta', '1']), ['yes']);
  t.strictSame(held(match, ['X-BETA', '1', 'X-Other', '2']), ['yes']);
  t.strictSame(held(match, ['X-Beta', '2']), ['no']);
  t.strictSame(held(match, ['X-Other', 'x-beta']), ['no']);
  t.strictSame(held(match), ['no']);
  t.strictSame(held(match, ['X-Beta', '1', 'X-Beta', '1']), ['repeated']);
});

t.test('a query parameter must have the value, once, however it is written', async (t) => {
  const match = { query: { v: 'a b' } };
  t.strictSame(held(match, [], '?v=a%20b&w'), ['yes']);
  t.strictSame(held(match, [], '?%76=a+b'), ['yes']);
  t.strictSame(held(match, [], '?v=a'), ['no']);
  t.strictSame(held(match, [], ''), ['no']);
  t.strictSame(held(match, [], '?v=a+b&v=c'), ['repeated']);
});

t.test('a SOAP action stands in its header, with quotes or without, or in the media type; never in both', async (t) => {
  const match = { soap_action: 'urn:x' };
  const typed = (parameter: string) => ['Content-Type', `application/soap+xml; charset=utf-8; ${parameter}`];
  for (const headers of [
    ['SOAPAction', '"urn:x"'],
    ['SOAPAction', 'urn:x'],
    typed('action="urn:x"'),
    typed('action=urn:x'),
    typed('Action = "urn:x"; a=b'),
    ['Content-Type', 'APPLICATION/SOAP+XML;action="urn:x"'],
    ['Content-Type', 'application/soap+xml;action="urn:x"'],
  ])
    t.strictSame(held(match, headers), ['yes'], headers.join());
  for (const headers of [
    ['SOAPAction', '"urn:y"'],
    ['SOAPAction', '"urn:x'],
    ['SOAPAction', 'x"urn:x"'],
    ['SOAPAction', '"urn:x"x'],
    ['SOAPAction', '""'],
    typed('action=""'),
    typed('xaction="urn:x"'),
    ['Content-Type', 'text/xml; action="urn:x"'],
    ['Content-Type', 'x application/soap+xml; action="urn:x"'],
    ['Content-Type', 'application/soap+xmlx; action="urn:x"'],
    ['Content-Type', 'application/soap+xml'],
  ])
    t.strictSame(held(match, headers), ['no'], headers.join());
  t.strictSame(held(match, ['SOAPAction', 'urn:x', ...typed('action="urn:x"')]), ['repeated']);
});

t.test('conditions are told in words, in the order header, query, action', async (t) => {
  const all = of({ headers: { 'X-A': '1' }, query: { V: '2' }, soap_action: 'urn:x' });
  t.strictSame(
    all.map(({ text, field }) => [text, field]),
    [
      ['header x-a: 1', 'header x-a'],
      ['query V=2', 'query V'],
      ['soap action urn:x', 'soap action'],
    ],
  );
  t.strictSame(of({}), []);
  t.equal(of({}), of({}), 'routes without one share the list');
});

t.test('the values of a field are those of its lines alone', async (t) => {
  const head = headOf(['A', '1', 'B', 'a', 'a', '2']);
  t.strictSame(valuesOf(head, 'a'), ['1', '2']);
  t.strictSame(valuesOf(head, '1'), []);
});

t.test('of routes whose conditions fail, three are named, and neither what is asked nor what was sent', async (t) => {
  const conditions = of({ headers: { 'x-a': 'secret' }, query: { v: 'secret' } });
  const route = (id: string) => ({ id, conditions }) as unknown as Route;
  const question = { head: headOf(['X-A', 'mine']), query: '', host: 'h', key: '/', method: 'GET' };
  const told = (count: number) =>
    unmetDetail(
      Array.from({ length: count }, (_, n) => route(`r${n}`)),
      question,
    );
  const why = '(another header x-a, no query v)';
  t.equal(told(0), undefined);
  t.equal(told(1), `host and path fit r0 ${why}`);
  t.equal(told(3), `host and path fit r0 ${why}, r1 ${why}, r2 ${why}`);
  t.equal(told(5), `host and path fit r0 ${why}, r1 ${why}, r2 ${why}, and more`);
  const half = { ...question, query: '?v=secret' };
  t.equal(unmetDetail([route('r')], half), 'host and path fit r (another header x-a)');
});
