import t from 'tap';
import { parsePathPattern, pathShape } from '../../../src/config/words/path-pattern.ts';
import fc from '../../support/properties.ts';

function parsed(path: string): unknown {
  const result = parsePathPattern(path);
  return result.kind === 'pattern' ? result.segments : result.message;
}

function shape(path: string): string {
  const result = parsePathPattern(path);
  return result.kind === 'pattern' ? pathShape(result) : result.message;
}

function literal(text: string, strict = text, decoded = strict) {
  return { kind: 'literal', text, strict, decoded };
}

t.test('a pattern has literals, parameters and at most one rest', async (t) => {
  t.strictSame(parsed('/a/{name}/b/{rest*}'), [
    literal('a'),
    { kind: 'one', name: 'name' },
    literal('b'),
    { kind: 'rest', name: 'rest' },
  ]);
  t.strictSame(parsed('/'), [literal('')]);
  t.strictSame(parsed('/a/'), [literal('a'), literal('')]);
});

t.test("a literal has the file's spelling, and both spellings that a request is matched with", async (t) => {
  t.strictSame(parsed('/a%3ab/caf%c3%a9'), [literal('a%3Ab', 'a%3Ab', 'a:b'), literal('caf%C3%A9', 'café', 'café')]);
});

t.test('literals are normalized as request targets are (RFC 3986 §6.2.2)', async (t) => {
  t.equal(shape('/%6Frders/caf%c3%a9'), '/orders/café');
  t.equal(shape("/a:b@c!$&'()+,;="), "/a:b@c!$&'()+,;=");
});

t.test('patterns that match the same paths have one shape', async (t) => {
  t.equal(shape('/a/{x}/{y*}'), shape('/%61/{n}/{m*}'));
  t.equal(shape('/a%3Ab/%c3%a9'), shape('/a:b/%C3%A9'));
  t.not(shape('/a/{x}'), shape('/a/{x*}'));
  t.not(shape('/a'), shape('/a/'));
});

t.test('a pattern that no request could match is rejected', async (t) => {
  const refused: Record<string, RegExp> = {
    '': /begins with/,
    orders: /begins with/,
    '//': /two slashes/,
    '/a//b': /two slashes/,
    '/a/./b': /dot segment/,
    '/a/%2E%2e': /dot segment/,
    '/a%2fb': /encoded slash/,
    '/a%5Cb': /backslash/,
    '/a%3Fb': /encoded `\?` or `#`/,
    '/a%20': /ends with a blank/,
    '/a%C2%A0/b': /ends with a blank/,
    '/a%23': /encoded `\?` or `#`/,
    '/a%09b': /read in different ways/,
    '/a%EF%BC%8Fb': /read in different ways/,
    '/%E2%80%A5/a': /read in different ways/,
    '/a\\b': /backslash/,
    '/a%00': /NUL/,
    '/a%2': /broken/,
    '/a%zz': /broken/,
    '/a%2541': /double/,
    '/a?b=c': /query/,
    '/a#b': /fragment/,
    '/a/*': /wildcard/,
    '/a b': /character that no path contains/,
    '/café': /character that no path contains/,
    '/{rest*}/b': /matches the rest/,
    '/{id}.json': /neither a literal nor a parameter/,
    '/{}': /neither/,
    '/{a-b}': /neither/,
    '/{a}/{a}': /occurs twice/,
  };
  for (const [path, message] of Object.entries(refused)) t.match(parsed(path), message, path);
});

t.test('a pattern has the maximum length of a path', async (t) => {
  t.match(parsePathPattern('/a'.repeat(100)), { kind: 'pattern' });
  t.equal(parsed('/a'.repeat(101)), 'the path has 101 segments');
  t.match(parsePathPattern(`/${'a'.repeat(2047)}`), { kind: 'pattern' });
  t.equal(parsed(`/${'a'.repeat(2048)}`), 'the path has 2049 characters');
  t.match(parsePathPattern('/a'.repeat(20_000)), { kind: 'fault', hint: /at most 2048/ });
});

t.test('it never throws, and the shape of a pattern is a pattern of the same shape', async () => {
  const piece = fc.constantFrom('/', 'a', '{x}', '{y*}', '%', '2f', '%41', '.', '{', '}', '*', ';');
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => `/${pieces.join('')}`),
      (path) => {
        const result = parsePathPattern(path);
        if (result.kind === 'fault') return result.message !== '';
        const again = pathShape(result)
          .replace('{*}', '{r*}')
          .replaceAll('{}', () => `{p${Math.random().toString(36).slice(2)}}`);
        return shape(again) === pathShape(result);
      },
    ),
  );
});
