import t from 'tap';
import { LONGEST_PASSWORD, newPasswordFault, preparePassword } from '../../src/base/password-text.ts';

const bytes = (text: string) => {
  const prepared = preparePassword(text);
  return prepared.kind === 'prepared' ? Buffer.from(prepared.bytes).toString() : prepared.reason;
};

t.test(
  'the examples of RFC 8265 §4.3: case, spaces and symbols count, and spaces of all scripts are the same',
  async (t) => {
    t.equal(bytes('correct horse battery staple'), 'correct horse battery staple');
    t.equal(bytes('Correct Horse Battery Staple'), 'Correct Horse Battery Staple');
    t.equal(bytes('\u03c0\u00df\u00e5'), '\u03c0\u00df\u00e5');
    t.equal(bytes('Jack of \u2666s'), 'Jack of \u2666s');
    t.equal(bytes('foo\u1680bar'), 'foo bar');
    t.equal(bytes(''), 'empty');
    t.equal(bytes('my cat is a \u0009by'), 'control_character');
  },
);

t.test('text that looks the same is the same: NFC', async (t) => {
  t.equal(bytes('pa\u0308ssword'), 'p\u00e4ssword');
  t.equal(bytes('\ufb01ne'), '\ufb01ne', 'a ligature is a character of its own');
});

t.test('a password with too many bytes is not hashed', async (t) => {
  t.equal(bytes('x'.repeat(LONGEST_PASSWORD)).length, LONGEST_PASSWORD);
  t.equal(bytes('x'.repeat(LONGEST_PASSWORD + 1)), 'too_long');
  t.equal(bytes('\u20ac'.repeat(342)), 'too_long');
});

t.test('half a surrogate pair is not a character', async (t) => {
  t.equal(bytes('pass\ud800word'), 'control_character');
});

t.test('a new password has at least eight characters, however many bytes they take', async (t) => {
  t.equal(newPasswordFault('1234567'), 'too_short');
  t.equal(newPasswordFault('12345678'), undefined);
  t.equal(newPasswordFault('\u20ac'.repeat(7)), 'too_short');
  t.equal(newPasswordFault('e\u0301'.repeat(7)), 'too_short');
  t.equal(newPasswordFault(''), 'empty');
});
