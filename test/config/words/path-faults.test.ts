import t from 'tap';
import { findPathFault } from '../../../src/config/words/path-faults.ts';
import fc from '../../support/properties.ts';

const hex = (octet: number) => `%${octet.toString(16).padStart(2, '0')}`;
const utf8 = (text: string) => Array.from(Buffer.from(text), hex).join('');
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

t.test('an encoded control character is rejected: C0, DEL, and C1 in UTF-8', async (t) => {
  for (const octet of [...range(0x01, 0x1f), 0x7f])
    t.equal(findPathFault(`/a${hex(octet)}b`), 'target_control', hex(octet));
  for (const octet of range(0x80, 0x9f)) {
    const encoded = utf8(String.fromCodePoint(octet));
    t.equal(findPathFault(`/a${encoded}b`), 'target_control', encoded);
  }
  t.equal(findPathFault('/a%00b'), 'target_null');
});

/** What servers trim, drop or fold around and between dots. */
const unseen = [
  ...range(0x01, 0x20).map(hex),
  hex(0x7f),
  ...range(0x80, 0xff).map(hex),
  ...['\u00a0', '\u00ad', '\u2003', '\u200b', '\u2028', '\u2060', '\u3000', '\ufeff', '\u{e0020}'].map(utf8),
];

t.test('dots are a dot segment with anything around or between them that a server may drop', async (t) => {
  for (const between of unseen) {
    for (const segment of [`..${between}`, `${between}..`, `.${between}.`, `.${between}`, `${between}.${between}.`]) {
      for (const path of [`/public/${segment}/admin`, `/public/${segment}`, `/${segment}%2fadmin`])
        t.equal(findPathFault(path), 'target_dot_segment', path);
    }
  }
});

t.test('characters that NFKC folds to dots count as dots', async (t) => {
  for (const dots of ['\uff0e\uff0e', '\u2024\u2024', '\u2025', '\ufe52\ufe52', '.\uff0e', '\uff0e'])
    t.equal(findPathFault(`/public/${utf8(dots)}/admin`), 'target_dot_segment', dots);
  t.equal(findPathFault(`/public/${utf8('\u2026')}/admin`), undefined, 'three dots are a name');
});

t.test('dots before an encoded end of the path are a dot segment', async (t) => {
  for (const end of ['%3f', '%3Fx', '%23', '%3b', ';x'])
    t.equal(findPathFault(`/a/..${end}`), 'target_dot_segment', end);
});

t.test('characters that look like a slash or a backslash are rejected', async (t) => {
  for (const sign of ['\uff0f', '\uff3c', '\u2215', '\u2216', '\u2044', '\ufe68'])
    t.equal(findPathFault(`/public${utf8(sign)}admin`), 'target_lookalike', sign);
});

t.test('a dot or slash in more octets than necessary is rejected, up to six octets (RFC 2279 §2)', async (t) => {
  const long = (character: string, length: number) => {
    const point = character.charCodeAt(0);
    const octets = range(1, length - 1).map((left) => 0x80 | (Math.floor(point / 64 ** (length - 1 - left)) & 0x3f));
    return [((0xff << (8 - length)) & 0xff) | (length === 2 ? point >> 6 : 0), ...octets].map(hex).join('');
  };
  for (const length of range(2, 6)) {
    t.equal(findPathFault(`/a/${long('.', length)}${long('.', length)}/b`), 'target_dot_segment', String(length));
    t.ok(findPathFault(`/a${long('/', length)}b`), `a slash in ${length} octets`);
    t.ok(findPathFault(`/${long('a', length)}dmin`), `a letter in ${length} octets`);
  }
  for (const lead of range(0xf8, 0xff)) t.ok(findPathFault(`/a${hex(lead)}%80%80`), hex(lead));
});

t.test('letters of every script, and single octets of Latin-1 in a name, are allowed', async (t) => {
  for (const text of ['café', '日本語', 'naïve', '🎉', 'a b', '½', 'x²', 'ﬁle', 'a\u00a0b'])
    t.equal(findPathFault(`/a/${utf8(text)}`), undefined, text);
  for (const path of ['/caf%e9', '/b%fccher', '/%e4', '/100%25', '/a%20', '/a%3ab', '/a.%20b'])
    t.equal(findPathFault(path), undefined, path);
});

t.test('no path makes the check throw', async () => {
  const octet = fc.integer({ min: 0, max: 255 }).map(hex);
  const piece = fc.oneof(octet, fc.constantFrom('/', '.', '..', ';', 'a'));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const fault = findPathFault(`/${pieces.join('')}`);
      return fault === undefined || fault.startsWith('target_');
    }),
  );
});
