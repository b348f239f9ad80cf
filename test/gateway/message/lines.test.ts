import t from 'tap';
import { Lines } from '../../../src/gateway/message/lines.ts';
import { writeHead } from '../../../src/gateway/upstreams/own/request-head.ts';
import fc, { tries } from '../../support/properties.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'B', '-', ' ', '\t', ':', '\xe9', '\r', '\n', '\0', '\x7f') });
const name = fc.oneof(text, fc.constantFrom('Host', 'date', 'Content-Length', 'transfer-encoding', 'X-Id'));
const fields = fc.array(fc.tuple(name, text), { maxLength: 4 }).map((lines) => lines.flat());

t.test('lines as text are the same as their fields, with the framing of a message', async (t) => {
  t.strictSame(new Lines([]).written, { text: '', hasDate: false, hasLength: false, hasCoding: false });
  t.strictSame(new Lines(['A', '1', 'DATE', 'now', 'Content-Length', '0']).written, {
    text: 'A: 1\r\nDATE: now\r\nContent-Length: 0\r\n',
    hasDate: true,
    hasLength: true,
    hasCoding: false,
  });
  t.match(new Lines(['Transfer-Encoding', 'chunked']).written, { hasCoding: true });
});

t.test('a value that cannot be in a line has no text', async (t) => {
  for (const each of [
    ['', 'a'],
    ['a b', 'c'],
    ['a', 'b\r\nc: d'],
    ['a', '\0'],
    ['a', '\u0100'],
    ['x:', ''],
  ])
    t.equal(new Lines(each).written, undefined, JSON.stringify(each));
});

/** The message, or why there is none. */
function head(all: readonly string[], known?: Lines): string {
  const request = { method: 'GET', path: '/', fields: all, known, upgrade: undefined, content: 0, keepAlive: true };
  try {
    return JSON.stringify(writeHead(request));
  } catch (error) {
    return String(error);
  }
}

t.test('a request with known first lines equals the one that is written from its fields', async () => {
  fc.assert(
    fc.property(fields, fields, (first, more) => {
      const known = new Lines(first);
      const all = [...first, ...more];
      return head(all) === head(all, known) && head(all) === head(all, known);
    }),
    tries(2000, 20_000),
  );
});
