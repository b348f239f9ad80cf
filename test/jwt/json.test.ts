import t from 'tap';
import { parseJsonObject } from '../../src/jwt/json.ts';

const parse = (text: string) => parseJsonObject(Buffer.from(text));

t.test('an object is read', async (t) => {
  t.strictSame(parse('{"a":[{"b":1},{"b":2}],"c":{"a":"x:{[\\"y"}}'), { a: [{ b: 1 }, { b: 2 }], c: { a: 'x:{["y' } });
});

t.test('what is not one JSON object is nothing', async (t) => {
  for (const text of [
    '',
    'null',
    '[]',
    '"a"',
    '1',
    'true',
    '{',
    '{}{}',
    '{"a":1,}',
    '\ufeff{}',
    "{'a':1}",
    '{"a":NaN}',
  ]) {
    t.equal(parse(text), undefined, text);
  }
});

t.test('bytes that are not UTF-8 are nothing', async (t) => {
  t.equal(parseJsonObject(Buffer.from('{"a":"\xff"}', 'latin1')), undefined);
  t.equal(parseJsonObject(Buffer.from('{"a":1}', 'utf16le')), undefined);
});

t.test('a member named twice is refused at any depth, also when an escape hides it', async (t) => {
  t.equal(parse('{"exp":1,"exp":2}'), undefined);
  t.equal(parse('{"exp":1,"\\u0065xp":2}'), undefined);
  t.equal(parse('{"a":{"b":[{"c":1,"c":1}]}}'), undefined);
  t.ok(parse('{"a":1,"A":2}'), 'names differ in case');
  t.ok(parse('{"a":{"a":{"a":1}}}'), 'one name at several depths');
});

t.test('nesting ends at a depth', async (t) => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  t.ok(parse(nested(31)));
  t.equal(parse(nested(32)), undefined);
  t.equal(parse(nested(100_000)), undefined);
});

t.test('__proto__ is a name like any other', async (t) => {
  const value = parse('{"__proto__":{"admin":true}}');
  t.equal(value?.admin, undefined);
});
