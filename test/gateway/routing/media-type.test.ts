import t from 'tap';
import { readMediaType } from '../../../src/gateway/routing/media-type.ts';

t.test(
  'a media type is its essence and its parameters, in lowercase except for values (RFC 9110 §8.3.1)',
  async (t) => {
    t.strictSame(readMediaType('Text/Plain'), { essence: 'text/plain', parameters: [] });
    t.strictSame(readMediaType('a/b;Charset=UTF-8 ; x="q\\"y";; ;z=1 '), {
      essence: 'a/b',
      parameters: [
        ['charset', 'UTF-8'],
        ['x', 'q"y'],
        ['z', '1'],
      ],
    });
    t.strictSame(readMediaType('a/b;x=""'), { essence: 'a/b', parameters: [['x', '']] });
  },
);

t.test('an invalid media type is rejected, whatever is around it', async (t) => {
  for (const text of [
    '',
    'a',
    '/b',
    ' a/b',
    '"a/b"',
    'a/b"x";p=1',
    'a/b x',
    'a/b;p=1 x',
    'a/b p=1',
    'a/b;p=1 q=2',
    'a/b;p="1"q=2',
    'a/b;p="1',
    'a/b, c/d',
    '(((;x=a/b',
  ])
    t.equal(readMediaType(text), undefined, text);
});

t.test('semicolons and blanks without a parameter are skipped, however many there are', async (t) => {
  for (const blank of [';', ' ;', ';\t', '; ;'])
    t.strictSame(readMediaType(`a/b${blank.repeat(50_000)}x=1${blank.repeat(50_000)}`), {
      essence: 'a/b',
      parameters: [['x', '1']],
    });
});
