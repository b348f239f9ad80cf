import t from 'tap';
import { parseJsonObject } from '../../src/jwt/json.ts';

const parse = (text: string) => parseJsonObject(Buffer.from(text));

t.test('an object is read', async (t) => {
  t.strictSame(parse('{"a":[{"b":1},{"b":2}],"c":{"a":"x:{[\\"y"}}'), { a: [{ b: 1 }, { b: 2 }], c: { a: 'x:{["y' } });
});

t.test('text that is not one JSON object gives nothing', async (t) => {
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

t.test('bytes that are not UTF-8 give nothing', async (t) => {
  t.equal(parseJsonObject(Buffer.from('{"a":"\xff"}', 'latin1')), undefined);
  t.equal(parseJsonObject(Buffer.from('{"a":1}', 'utf16le')), undefined);
});

t.test('a repeated member is refused at any depth, even if an escape hides it', async (t) => {
  t.equal(parse('{"exp":1,"exp":2}'), undefined);
  t.equal(parse('{"exp":1,"\\u0065xp":2}'), undefined);
  t.equal(parse('{"a":{"b":[{"c":1,"c":1}]}}'), undefined);
  t.ok(parse('{"a":1,"A":2}'), 'names differ in case');
  t.ok(parse('{"a":{"a":{"a":1}}}'), 'one name at several depths');
});

t.test('nesting is limited', async (t) => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  t.ok(parse(nested(31)));
  t.equal(parse(nested(32)), undefined);
  t.equal(parse(nested(100_000)), undefined);
});

t.test('__proto__ is an ordinary name', async (t) => {
  const value = parse('{"__proto__":{"admin":true}}');
  t.equal(value?.admin, undefined);
});

t.test('a name counts only in its own object, before and after nested values', async (t) => {
  for (const text of ['{"a":{"x":1},"x":2}', '{"a":[{"x":1},{"x":2}],"x":3}', '{"a":[],"b":[[]],"c":{}}'])
    t.ok(parse(text), text);
  for (const text of ['{"x":1,"a":{"y":1},"x":2}', '{"x":1,"a":[{"x":1}],"x":2}', '{"a":[1,{"x":1,"b":{},"x":2}]}'])
    t.equal(parse(text), undefined, text);
});

t.test('the depth counts only open brackets, however many were closed before', async (t) => {
  const list = `[${Array(100).fill('[]').join(',')}]`;
  t.ok(parse(`{"a":${list},"b":{${Array.from({ length: 100 }, (_, n) => `"k${n}":{}`).join(',')}}}`));
});

t.test('brackets, colons and escapes within a string are text', async (t) => {
  for (const value of ['{{[[', ':', '"', '\\', '\\":{"x', '\\\\"', '}]', 'a\\b"c:d\\e', ',"x":1,"x":'])
    t.strictSame(parse(JSON.stringify({ [value]: value, x: 1 })), { [value]: value, x: 1 }, value);
});
