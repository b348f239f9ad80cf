import t from 'tap';
import { argumentAt, toolParams, UNCLEAR } from '../../../src/gateway/mcp/tool-params.ts';

const found = (schema: unknown) =>
  toolParams(schema).map(({ header, path }) => `${header} ${path.map((names) => [...names].join()).join('.')}`);
const annotated = (header: unknown) => ({ type: 'string', 'x-mcp-header': header });

t.test('only a chain of properties leads to an annotated argument', async (t) => {
  t.strictSame(
    found({
      properties: {
        a: annotated('A'),
        b: { properties: { c: annotated('B-C'), d: {} }, ...annotated('B') },
        list: { items: annotated('Items') },
        any: { anyOf: [annotated('Any')] },
      },
      $defs: { x: annotated('Defs') },
      additionalProperties: annotated('More'),
    }),
    ['mcp-param-a a', 'mcp-param-b b', 'mcp-param-b-c b.c'],
  );
});

t.test('an annotation that is no name of a header is none', async (t) => {
  for (const header of ['', 'a b', 'a:b', '\u00e9', 1, null, ['A'], 'a\r\nb', 'a'.repeat(129)])
    t.strictSame(found({ properties: { a: annotated(header) } }), [], String(header));
  t.strictSame(found({ properties: { a: annotated('a'.repeat(128)) } }).length, 1);
});

t.test('no schema makes the search fail', async (t) => {
  for (const schema of [undefined, null, 1, 'a', [], {}, { properties: [] }, { properties: { a: 1, b: null } }])
    t.strictSame(found(schema), []);
  t.strictSame(found(JSON.parse('{"properties":{"__proto__":{"x-mcp-header":"P"}}}')), ['mcp-param-p __proto__']);
});

t.test('a schema has at most 64 annotations, at most 17 levels deep', async (t) => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, annotated(`A${index}`)]));
  t.equal(found({ properties: wide }).length, 64);
  let deep: object = annotated('Deep');
  for (let level = 0; level < 16; level++) deep = { properties: { a: deep } };
  t.equal(found({ properties: { a: deep } }).length, 1);
  t.equal(found({ properties: { a: { properties: { a: deep } } } }).length, 0);
});

t.test('the value of an argument is that of its own member', async (t) => {
  const path = [new Set(['a']), new Set(['b'])];
  t.equal(argumentAt({ a: { b: 1 } }, path), 1);
  t.equal(argumentAt({ a: {} }, path), undefined);
  t.equal(argumentAt({ a: [1] }, path), undefined);
  t.equal(argumentAt({}, [new Set(['constructor'])]), undefined);
  t.equal(argumentAt({ a: { b: 1 }, other: { B: 2 } }, path), 1);
});

t.test('a value is unclear if a reader without case, or one with prototypes, finds another one', async (t) => {
  const path = [new Set(['a']), new Set(['b'])];
  t.equal(argumentAt({ a: { b: 1 }, A: {} }, path), UNCLEAR);
  t.equal(argumentAt({ a: { b: 1, B: 1 } }, path), UNCLEAR);
  t.equal(argumentAt({ a: { B: 1 } }, path), UNCLEAR);
  t.equal(argumentAt(JSON.parse('{"__proto__":{"a":{"b":2}}}'), path), UNCLEAR);
});
