import t from 'tap';
import { factNames, recordFacts } from '../../../../src/gateway/console/live/facts.ts';
import { compileFilter, parseFilter } from '../../../../src/gateway/console/live/filter.ts';
import fc, { tries } from '../../../support/properties.ts';

const record = {
  route: 'orders read',
  status: 403,
  code: 'scope_insufficient',
  step: 'permit',
  method: 'GET',
  host: 'api.example.com',
  path: '/orders/7',
  address: '192.0.2.7',
  client: 'Corner Shop',
} as const;

function fits(text: string, of: object = record): boolean | string {
  const parsed = parseFilter(text);
  return parsed.ok ? compileFilter(parsed.words, recordFacts)(of) : parsed.fault;
}

t.test('a decision matches if it has every named fact, and none that is excluded', async (t) => {
  const matching = [
    '',
    'status:403',
    'status:4xx',
    'status:40x',
    'status:"403"',
    'status:4XX code:scope_insufficient',
    'code:scope_*',
    'code:*_insufficient',
    'code:*c*e_in*t',
    'route:"orders read"',
    'client:"Corner Shop" status:401 status:403',
    'path:/orders/*',
    '/orders',
    '"/orders/7"',
    '-status:200',
    '-subject:alice',
    'host:*',
    '-',
  ];
  for (const text of matching) t.equal(fits(text), text !== '-', text);
});

t.test('a decision does not match if one word differs', async (t) => {
  const others = [
    'status:401',
    'status:5xx',
    'status:40',
    'route:orders',
    'code:scope',
    'code:scope_insufficient*t',
    'subject:alice',
    'status:403 method:POST',
    '-status:403',
    '-/orders',
    'path:orders',
    'client:corner*',
    'subject:*',
  ];
  for (const text of others) t.equal(fits(text), false, text);
});

t.test('a filter that cannot be read says what is wrong', async (t) => {
  t.equal(fits('stauts:403'), 'a filter cannot name `stauts`: did you mean `status`?');
  t.match(fits('tokens:x'), /^a filter cannot name `tokens`: use route, status, /);
  t.equal(fits('route:'), '`route:` needs a value, such as `route:orders`');
  t.equal(fits('a '.repeat(17)), 'a filter has at most 16 words');
  t.equal(fits('a'.repeat(513)), 'a filter has at most 512 characters');
});

t.test('any text is a filter or a fault, and takes no time that grows with stars', async (t) => {
  const value = 'a'.repeat(8192);
  t.equal(fits(`path:${'*a'.repeat(250)}*b`, { path: value }), false);
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => ['boolean', 'string'].includes(typeof fits(text))),
    tries(300, 20_000),
  );
  t.pass();
});

t.test('a fact is found by its own text, whatever signs it has', async (t) => {
  const values = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !/["*?]/.test(text) && text.trim() !== '');
  const names = fc.constantFrom(...factNames.filter((name) => name !== 'status'));
  fc.assert(
    fc.property(names, values, (name, value) => fits(`${name}:"${value}"`, { [name]: value }) === true),
    tries(300, 20_000),
  );
  t.pass();
});
