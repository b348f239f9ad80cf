import t from 'tap';
import { decodeValue, encodeValue } from '../../../src/gateway/mcp/header-value.ts';
import fc, { tries } from '../../support/properties.ts';

t.test('a written value is read as the same text, and contains only characters that a header may have', async (t) => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string(),
    fc.constantFrom('=?base64??=', '=?BASE64?YQ==?=', ' a', 'a\t'),
  );
  const holds = fc.property(texts, (text) => {
    const written = encodeValue(text);
    return decodeValue(written) === text && /^[\x20-\x7e\t]*$/.test(written) && written.trim() === written;
  });
  fc.assert(holds, tries(500, 50_000));
  t.pass();
});

t.test('a plain text stays as it is', async (t) => {
  for (const text of ['echo', 'a b', 'a\tb', '=?base64?', '=?x?YQ==?=', '%41']) {
    t.equal(encodeValue(text), text);
    t.equal(decodeValue(text), text);
  }
  t.equal(decodeValue(''), '');
});

t.test('Base64 of the sentinel is decoded', async (t) => {
  t.equal(decodeValue('=?base64?ZWNow7Y=?='), 'ech\u00f6');
  t.equal(decodeValue('=?base64??='), '');
  t.equal(decodeValue('=?base64?77u/YQ==?='), '\ufeffa');
  t.equal(decodeValue('=?base64?PT9iYXNlNjQ/YT89?='), '=?base64?a?=');
});

t.test('a value that readers could decode differently has no meaning', async (t) => {
  for (const value of [
    '=?base64?ZWNobw?=',
    '=?base64?ZWNobw===?=',
    '=?base64?ZWNobx==?=',
    '=?base64? ZWNobw==?=',
    '=?base64?ZWNobw==\t?=',
    '=?base64?w7_Dvw==?=',
    '=?base64?/w==?=',
    '=?base64?7aCA?=',
    '=?BASE64?ZWNobw==?=',
    '=?Base64?ZWNobw==?=',
    'ech\u00f6',
    ' echo',
    'echo\t',
    'a\x7f',
    'a\0',
  ])
    t.equal(decodeValue(value), undefined, JSON.stringify(value));
});
