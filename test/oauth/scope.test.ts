import t from 'tap';
import { formatScope, parseScope } from '../../src/oauth/scope.ts';

t.test('a scope is tokens with one space between them, each once, in their order', async (t) => {
  t.strictSame(parseScope('b a b'), ['b', 'a']);
  t.strictSame(parseScope('https://a.example/x:y!#[]~'), ['https://a.example/x:y!#[]~']);
  t.equal(formatScope(['a', 'b']), 'a b');
});

t.test('whatever RFC 6749 §3.3 does not allow is no scope', async (t) => {
  for (const text of ['', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a"b', 'a\\b', 'é', 'a\0'])
    t.equal(parseScope(text), undefined, JSON.stringify(text));
});
