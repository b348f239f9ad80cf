import t from 'tap';
import { quoted, quotedAny } from '../../src/base/quoted.ts';

t.test('a value is quoted by its type', async (t) => {
  const values: readonly [value: unknown, shown: string][] = [
    ['a', '"a"'],
    ['', '""'],
    ['a"b', '"a\\"b"'],
    [undefined, 'none'],
    [null, 'null'],
    [7, '7'],
    [true, 'true'],
    [{ a: 'hidden-word' }, 'an object'],
    [[], '[]'],
    [['a', 1, ['hidden-word'], {}], '["a", 1, a list, an object]'],
  ];
  for (const [value, shown] of values) t.equal(quoted(value), shown);
  t.equal(quotedAny(['a', 'b']), '"a" or "b"');
  t.equal(quotedAny([]), 'none');
});

t.test('a long value is cut, and a long list shows its first entries', async (t) => {
  t.equal(quoted('x'.repeat(20_000)), `"${'x'.repeat(100)}…"`);
  t.equal(quoted(['a', 'b', 'c', 'd', 'e', 'f']), '["a", "b", "c", "d" and 2 more]');
  t.equal(quotedAny(['a', 'b', 'c', 'd', 'e']), '"a" or "b" or "c" or "d" and 1 more');
});

t.test('every quoted value is one line without control characters and without half a character', async (t) => {
  const shown = quoted(`\u001b[2J\n\u202e\u009b\ud800${'x'.repeat(90)}\u{1f600}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
  t.notMatch(shown, /[\x00-\x1f\x7f-\x9f\u202e]/);
  t.ok(shown.isWellFormed());
  t.notMatch(shown, '\\ud', 'no escape of six characters for one');
});
