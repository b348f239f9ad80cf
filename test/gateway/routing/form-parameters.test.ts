import t from 'tap';
import { mayName, takeParameter } from '../../../src/gateway/routing/form-parameters.ts';

t.test('a parameter is found in every spelling of its name, and every other byte stays', async (t) => {
  const cases: Readonly<Record<string, readonly [values: readonly string[], rest: string]>> = {
    '': [[], ''],
    t: [[''], ''],
    't=': [[''], ''],
    't=a': [['a'], ''],
    't=a=b': [['a=b'], ''],
    't=a&b=1': [['a'], 'b=1'],
    'b=1&t=a&&c': [['a'], 'b=1&&c'],
    't=a&t=b': [['a', 'b'], ''],
    '%74=a+b%20c': [['a b c'], ''],
    't=%zz%4': [['%zz%4'], ''],
    't=%e9%C3': [['\xe9\xc3'], ''],
    'tt=a': [[], 'tt=a'],
    'T=a': [[], 'T=a'],
    't+=a': [[], 't+=a'],
    '%7=a': [[], '%7=a'],
    '=a': [[], '=a'],
    'b=t': [[], 'b=t'],
  };
  for (const [text, [values, rest]] of Object.entries(cases))
    t.strictSame(takeParameter(text, 't'), { values, rest }, text);
  const written = '%61%62%63';
  t.strictSame(takeParameter(`${written}=1`, 'abc').values, ['1'], 'each character written by three');
  t.strictSame(takeParameter('a+c=1', 'a c').values, ['1'], 'a plus is a space');
});

t.test('only a text with the name, or with something encoded, can contain the name', async (t) => {
  for (const text of ['?t=a', '?xtx', '?%74=a', '?a=%20']) t.ok(mayName(text, 't'), text);
  for (const text of ['', '?a=b', '?T=1', '?a+b']) t.notOk(mayName(text, 't'), text);
  t.ok(mayName('?a+b', 'a b'), 'a plus is a space');
});
