import t from 'tap';
import { OAuthError } from '../../src/oauth/errors.ts';
import { parseOAuthParameters, readParameters } from '../../src/oauth/parameters.ts';
import fc from '../support/properties.ts';

const parse = (text: string, aliases = true) => parseOAuthParameters(text, { aliases });

t.test('names and values are decoded as a form', async (t) => {
  const parameters = parse('a=1+2%2B3&b%5B%5D=%C3%A9&c=x=y&d&&=z');
  t.strictSame(
    ['a', 'b[]', 'c', 'd', ''].map((name) => parameters.get(name)),
    ['1 2+3', 'é', 'x=y', undefined, 'z'],
  );
});

t.test('an empty value counts as absent (RFC 6749 §3.2)', async (t) => {
  t.equal(parse('a=').get('a'), undefined);
  t.equal(parse('a=&a=1').get('a'), '1');
  t.throws(() => parse('a=').require('a'), { code: 'invalid_request', description: 'The parameter a is missing.' });
});

t.test('only resource and audience may repeat', async (t) => {
  t.strictSame(parse('resource=a&resource=b&audience=c&audience=d').all('resource'), ['a', 'b']);
  t.throws(() => parse('scope=a&scope=a'), { code: 'invalid_request' });
  t.throws(() => parse('%73cope=a&scope=a'), { code: 'invalid_request' }, 'in another spelling too');
});

t.test('an alias means its OAuth name', async (t) => {
  for (const name of ['app_id', 'appid', 'client_id']) t.equal(parse(`${name}=x`).get('client_id'), 'x');
  for (const name of ['app_secret', 'appsecret', 'client_secret'])
    t.equal(parse(`${name}=x`).get('client_secret'), 'x');
  t.equal(parse('app_id=x&client_id=x&appid=x').get('client_id'), 'x');
  t.throws(() => parse('client_id=x&app_id=y'), { code: 'invalid_request' });
  t.throws(() => parse('appid=y&app_id=x'), { code: 'invalid_request' });
  t.equal(parse('app_id=x', false).get('client_id'), undefined);
});

t.test('a repeated parameter is left out, and the others can be read before the request is refused', async (t) => {
  const { parameters, duplicate } = readParameters('a=1&b=1&b=1&client_id=x&app_id=y', { aliases: true });
  t.strictSame(['a', 'b', 'client_id'].map(parameters.get), ['1', undefined, undefined]);
  t.match(duplicate, { code: 'invalid_request', description: 'The parameter b occurs more than once.' });
  t.equal(readParameters('a=1&b=', { aliases: true }).duplicate, undefined);
  const boxes = readParameters('scope=a&scope=b', { aliases: true, repeatable: ['scope'] });
  t.strictSame([boxes.duplicate, boxes.parameters.all('scope')], [undefined, ['a', 'b']]);
});

t.test('a grant sees only the parameters that it names', async (t) => {
  const few = parse('a=1&b=2').only(['a', 'c']);
  t.strictSame(['a', 'b', 'c'].map(few.get), ['1', undefined, undefined]);
});

t.test('names that every object has are ordinary names', async (t) => {
  const parameters = parse('__proto__=1&constructor=2');
  t.strictSame(['__proto__', 'constructor', 'toString'].map(parameters.get), ['1', '2', undefined]);
  t.equal(({} as Record<string, unknown>).polluted, undefined);
});

t.test('any text is parameters or an OAuthError', async () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', '=', '&', '%', '+', '2', 'F', 'é', '\0') }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        return parse(text).get('a') !== '';
      } catch (error) {
        return (
          error instanceof OAuthError &&
          error.code === 'invalid_request' &&
          /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(error.description)
        );
      }
    }),
    { numRuns: 20_000 },
  );
});

t.test('what URLSearchParams writes reads back unchanged', async () => {
  const pairs = fc.dictionary(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: 'grapheme', minLength: 1 }),
  );
  fc.assert(
    fc.property(pairs, (record) => {
      const parameters = parse(new URLSearchParams(record).toString(), false);
      return Object.entries(record).every(([name, value]) => parameters.get(name) === value);
    }),
  );
});

t.test('a parameter without a value counts as absent, but its name is ordinary text', async (t) => {
  for (const text of ['', '&', '&&', 'a', 'a&b', 'a=&a', '=', '&a=&b&']) {
    const { parameters, duplicate } = readParameters(text, { aliases: true });
    t.strictSame([duplicate, parameters.get('a'), parameters.all('b')], [undefined, undefined, []], text);
  }
  const description = 'The form is not well-formed percent-encoded UTF-8.';
  for (const text of ['%', '%zz', '%ff&a=1', 'a=%c3', 'a=1&%e0%80=2'])
    t.throws(() => parse(text), { code: 'invalid_request', description }, text);
});

t.test('a refusal repeats at most 40 characters of a name', async (t) => {
  const [fits, cut] = ['n'.repeat(40), 'n'.repeat(41)];
  for (const name of [fits, cut]) {
    const { duplicate } = readParameters(`${name}=1&${name}=2`, { aliases: true });
    t.equal(duplicate?.description, `The parameter ${fits} occurs more than once.`);
  }
});
