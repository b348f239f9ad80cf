import t from 'tap';
import type { RouteConfig } from '../../../src/config/schema/gateway.ts';
import type { Route } from '../../../src/gateway/decide/route.ts';
import { unmetDetail } from '../../../src/gateway/decide/unmet-conditions.ts';
import { matchConditions } from '../../../src/gateway/routing/match-conditions.ts';
import fc, { tries } from '../../support/properties.ts';
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

t.test('a query parameter must have the value, once, whatever the encoding of the value', async (t) => {
  const match = { query: { v: 'a b' } };
  t.strictSame(held(match, [], '?v=a%20b&w'), ['yes']);
  t.strictSame(held(match, [], '?%76=a+b'), ['repeated'], 'some servers decode no names');
  t.strictSame(held({ query: { 'f[a]': 'b' } }, [], '?f%5Ba%5D=b'), ['yes'], 'a name that has to be encoded');
  t.strictSame(held(match, [], '?v=a'), ['no']);
  t.strictSame(held(match, [], ''), ['no']);
  t.strictSame(held(match, [], '?v=a+b&v=c'), ['repeated']);
});

t.test('a value that servers read in two ways counts as repeated', async (t) => {
  const headers = { headers: { 'X-Env': 'prod' } };
  for (const value of ['prod\xa0', '\x85prod']) t.strictSame(held(headers, ['X-Env', value]), ['repeated'], value);
  t.strictSame(held({ query: { op: 'delete' } }, [], '?op=delete%00'), ['repeated']);
});

t.test('a header in a spelling that an upstream folds into the same name counts as repeated', async (t) => {
  const match = { headers: { 'X-Env': 'prod' } };
  for (const name of ['X_Env', 'x_env', 'X.Env', 'X~ENV']) {
    t.strictSame(held(match, [name, 'prod']), ['repeated'], name);
    t.strictSame(held(match, [name, 'other']), ['repeated'], name);
    t.strictSame(held(match, ['X-Env', 'prod', name, 'prod']), ['repeated'], name);
  }
  for (const name of ['XEnv', 'X-Env-', 'X-Envs', 'Y_Env']) t.strictSame(held(match, [name, 'prod']), ['no'], name);
  t.strictSame(held({ soap_action: 'urn:x' }, ['Content_Type', 'application/soap+xml; action="urn:x"']), ['repeated']);
});

t.test('a query parameter in a spelling that an upstream folds into the same name counts as repeated', async (t) => {
  const match = { query: { op: 'delete' } };
  const twins = [
    'OP',
    'Op',
    'op[]',
    'op[0]',
    'op%5B%5D',
    'op%5b0]',
    '+op',
    '%20op',
    'op%00',
    'op%00x',
    '%4fp[a][b]',
    ' op',
  ];
  for (const twin of twins)
    for (const query of [`?${twin}=delete`, `?${twin}=x`, `?a=b&${twin}=delete`, `?op=delete&${twin}=x`, `?${twin}`])
      t.strictSame(held(match, [], query), ['repeated'], query);
  for (const query of ['?a=1;op=delete', '?op=delete;x', '?op=x;op=delete', '?op=delete&a;op=x', '?;op=delete'])
    t.strictSame(held(match, [], query), ['repeated'], query);
  for (const query of [
    '?ops=delete',
    '?o_p=delete',
    '?x[op]=delete',
    '?q=op;x',
    '?op=a;b',
    '?url=/x%3Fop%3Ddelete%26op%3D1',
  ])
    t.strictSame(held(match, [], query), ['no'], query);
  t.strictSame(held(match, [], '?q=a;b&op=delete'), ['yes']);
  t.strictSame(held({ query: { 'a.b': '1' } }, [], '?a_b=1'), ['repeated']);
  t.strictSame(held({ query: { 'a.b': '1' } }, [], '?a%5Bb=1'), ['repeated']);
  t.strictSame(held({ query: { 'filter[state]': '1' } }, [], '?filter[state]=1&filter[name]=2'), ['yes']);
  for (const query of [
    '?filter[state]x=1',
    '?filter[state]x=1&filter[state]=2',
    '?filter[state][]=1',
    '?filter%5Bstate%5D.y=1',
  ])
    t.strictSame(held({ query: { 'filter[state]': '1' } }, [], query), ['repeated'], query);
  t.strictSame(held({ query: { 'filter[state]': '1' } }, [], '?filter[state]=1&Filter[state]=2'), ['repeated']);
});

t.test('a query without a second spelling has one reading', async (t) => {
  const word = fc.string({ unit: fc.constantFrom(...'abcxyz0189-~'), maxLength: 4 });
  const pairs = fc.array(fc.tuple(word, word), { maxLength: 5 });
  fc.assert(
    fc.property(pairs, word, word, (pairs, name, value) => {
      const query = `?${pairs.map(([key, text]) => `${key}=${text}`).join('&')}`;
      const found = pairs.filter(([key]) => key === name && query !== '?').map(([, text]) => text);
      const wanted = found.length > 1 ? 'repeated' : found[0] === value ? 'yes' : 'no';
      t.strictSame(held({ query: { [name]: value } }, [], query), [wanted], query);
    }),
    tries(200, 2_000),
  );
});

t.test('a media type with two actions, or with an escape, is ambiguous', async (t) => {
  const typed = (parameters: string) => ['Content-Type', `application/soap+xml; ${parameters}`];
  const match = { soap_action: 'urn:x' };
  t.strictSame(held(match, typed('action="urn:y"; action="urn:x"')), ['repeated']);
  t.strictSame(held(match, typed('action="urn:x"; action="urn:y"')), ['repeated']);
  t.strictSame(held(match, typed('action="urn:\\x"')), ['repeated']);
});

t.test('an action that only one reader of a media type finds is 400', async (t) => {
  const typed = (parameters: string) => ['Content-Type', `application/soap+xml; ${parameters}`];
  const match = { soap_action: 'urn:x' };
  for (const headers of [
    typed('x="; action=urn:x; "'),
    typed('x="; action=urn:x; "; action="urn:y"'),
    typed('x="; action=urn:y; "; action="urn:x"'),
    typed('x="\\"; action=urn:x; \\""; action="urn:y"'),
    typed('action = "urn:x"'),
    typed('action="urn:x'),
    typed('action="urn:x" "urn:y"'),
    typed("action*=utf-8''urn%3Ax"),
    typed('action*0="urn:"; action*1="x"'),
    typed('action="urn:y"; action*=utf-8\'\'urn%3Ax'),
    typed('action='),
    ['Content-Type', 'application/soap+xml x; action="urn:x"'],
    ['Content-Type', 'application/soap+xml; action="urn:x", text/plain'],
    ['Content-Type', 'multipart/related; start-info="application/soap+xml; action=\\"urn:x\\""'],
    ['Content-Type', 'multipart/related; start-info="application/soap+xml; action=urn:x"; action="urn:y"'],
    ['SOAPAction', 'urn:x', 'Content-Type', 'multipart/related; start-info="text/xml; action=urn:y"'],
  ])
    t.strictSame(held(match, headers), ['repeated'], headers.join());
  const mtom = ['SOAPAction', '"urn:x"', 'Content-Type', 'multipart/related; type="text/xml"; start-info="text/xml"'];
  t.strictSame(held(match, mtom), ['yes'], 'SOAP 1.1 with attachments has it in the header alone');
});

t.test('a SOAP action is in its header, with quotes or without, or in the media type; never in both', async (t) => {
  const match = { soap_action: 'urn:x' };
  const typed = (parameter: string) => ['Content-Type', `application/soap+xml; charset=utf-8; ${parameter}`];
  for (const headers of [
    ['SOAPAction', '"urn:x"'],
    ['SOAPAction', 'urn:x'],
    typed('action="urn:x"'),
    typed('action=urn:x'),
    typed('Action="urn:x"; a=b'),
    typed('x="a;b"; ; action="urn:x"'),
    [
      'Content-Type',
      'multipart/related; type="application/xop+xml"; start-info="application/soap+xml"; action="urn:x"',
    ],
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

t.test('conditions are described in the order header, query, action', async (t) => {
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

t.test('of routes whose conditions fail, three are named, without the expected and the received values', async (t) => {
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
  t.equal(told(1), `host and path match, but not the conditions: r0 ${why}`);
  t.equal(told(3), `host and path match, but not the conditions: r0 ${why}, r1 ${why}, r2 ${why}`);
  t.equal(told(5), `host and path match, but not the conditions: r0 ${why}, r1 ${why}, r2 ${why}, and more`);
  const half = { ...question, query: '?v=secret' };
  t.equal(unmetDetail([route('r')], half), 'host and path match, but not the conditions: r (another header x-a)');
});

t.test('quotes of a SOAP action are removed only if they are around the whole value', async (t) => {
  const holds = (action: string, received: string) =>
    matchConditions({ path: '/', soap_action: action })[0]?.holds({
      head: headOf(['SOAPAction', received]),
      query: '',
    });
  t.equal(holds('urn:a', '"urn:a"'), 'yes');
  t.equal(holds('rn:a"b', 'urn:a"b"'), 'no');
  t.equal(holds('a"ur', '"a"urn'), 'no');
});
