import t from 'tap';
import { decodeCredentialText, extendedText, fieldText, hasControl, toExtendedText } from '../../src/http-auth/text.ts';

const octets = (text: string) => Buffer.from(text, 'latin1');

t.test('octets are UTF-8 if they can be, else Latin-1; a byte order mark is a character', async (t) => {
  t.equal(decodeCredentialText(Buffer.from('Zoë')), 'Zoë');
  t.equal(decodeCredentialText(octets('Zo\xeb')), 'Zoë');
  t.equal(decodeCredentialText(Buffer.from('\ufeffa')), '\ufeffa');
  t.equal(decodeCredentialText(octets('a\xeb').subarray(1)), 'ë', 'a part of a buffer is that part');
});

t.test('text is normalized to NFC up to 2048 octets, and unchanged beyond', async (t) => {
  const [apart, joined] = ['e\u0308', '\u00eb'];
  t.equal(decodeCredentialText(Buffer.from(apart)), joined);
  const fits = `${'x'.repeat(2045)}${apart}`;
  t.equal(decodeCredentialText(Buffer.from(fits)), `${'x'.repeat(2045)}${joined}`);
  t.equal(decodeCredentialText(Buffer.from(`x${fits}`)), `x${fits}`);
});

t.test('a field value is read an octet a character', async (t) => {
  t.equal(fieldText('plain text'), 'plain text');
  t.equal(fieldText(Buffer.from('Zoë').toString('latin1')), 'Zoë');
  t.equal(fieldText(Buffer.from('xe\u0308').toString('latin1')), 'xë');
  t.equal(fieldText('Zo\xeb'), 'Zoë');
  t.equal(fieldText(''), '');
});

t.test('control characters are found anywhere in a text', async (t) => {
  for (const text of ['\0', 'a\nb', 'a\x1f', '\x7f', 'a\tb']) t.ok(hasControl(text), JSON.stringify(text));
  for (const text of ['', 'a b', '~', '\x80', 'é']) t.notOk(hasControl(text), JSON.stringify(text));
});

t.test('an extended value is UTF-8 as in RFC 8187, complete and only in that form', async (t) => {
  const cases: Readonly<Record<string, string | undefined>> = {
    "UTF-8''J%c3%a4s%C3%B8n": 'Jäsøn',
    "utf-8'en-GB'a": 'a',
    "UTF-8''": '',
    "UTF-8''e%CC%88": 'ë',
    "xUTF-8''a": undefined,
    "UTF-8''a b": undefined,
    "UTF-8''a%2": undefined,
    "UTF-8''a%zz": undefined,
    "UTF-8''a'": undefined,
    "UTF-8'e n'a": undefined,
    "UTF-8''%ff": undefined,
    "ISO-8859-1''a": undefined,
    "UTF-8'a": undefined,
    a: undefined,
    '': undefined,
  };
  for (const [value, expected] of Object.entries(cases)) t.equal(extendedText(value), expected, value);
});

t.test('a written extended value reads back', async (t) => {
  for (const text of ['', 'Zoë', "it's (a) *", '日本', 'a%b c'])
    t.equal(extendedText(toExtendedText(text)), text, text);
  t.equal(toExtendedText("'()*"), "UTF-8''%27%28%29%2a");
});
