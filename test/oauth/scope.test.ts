import t from 'tap';
import { formatScope, parseScope, scopeList } from '../../src/oauth/scope.ts';

t.test('a scope is tokens with one space between them, each once, in order', async (t) => {
  t.strictSame(parseScope('b a b'), ['b', 'a']);
  t.strictSame(parseScope('https://a.example/x:y!#[]~'), ['https://a.example/x:y!#[]~']);
  t.strictSame(parseScope('one two three'), ['one', 'two', 'three']);
  t.equal(formatScope(['a', 'b']), 'a b');
});

t.test('a text that RFC 6749 §3.3 does not allow is not a scope', async (t) => {
  for (const text of ['', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a"b', 'a\\b', 'é', 'a\0'])
    t.equal(parseScope(text), undefined, JSON.stringify(text));
});

t.test('our own scope text splits into its tokens; an empty one has none', async (t) => {
  t.strictSame(scopeList(formatScope(['a.b', 'c'])), ['a.b', 'c']);
  t.strictSame(scopeList(formatScope([])), []);
});
