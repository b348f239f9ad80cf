import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LARGEST_FILE, readText } from '../../../src/config/files/read-text.ts';

function read(t: Test, content: string | Buffer) {
  const file = join(t.testdir(), 'gateway.yaml');
  writeFileSync(file, content);
  return readText(file, { waits: false });
}

t.test('the text has no byte order mark', async (t) => {
  t.strictSame(read(t, '\ufeffversion: 1\n'), { ok: true, text: 'version: 1\n' });
  t.strictSame(read(t, 'a: \ufeff\r\n\tb: ü\n'), { ok: true, text: 'a: \ufeff\r\n\tb: ü\n' });
  t.strictSame(read(t, ''), { ok: true, text: '' });
});

t.test('an invalid byte is reported with its place, with each kind of line end', async (t) => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  t.match(read(t, latin1('a: 1\nrealm: M\xfcller\n')), { ok: false, line: 2, column: 9, message: /not UTF-8/ });
  t.match(read(t, latin1('\xfc')), { ok: false, line: 1, column: 1 });
  t.match(read(t, Buffer.from([0x61, 0x0a, 0xe2, 0x82])), { ok: false, line: 2, column: 1 });
  for (const end of ['\n', '\r\n', '\r']) {
    t.match(read(t, `a: 1${end}b: ü\0${end}`), { ok: false, line: 2, column: 5, message: 'a NUL byte' });
  }
  t.match(read(t, 'a: \x7f'), { ok: false, line: 1, column: 4, message: 'a control character (U+007F)' });
});

t.test('UTF-16 of either byte order is reported as UTF-16', async (t) => {
  const text = Buffer.from('\ufeffversion: 1\n', 'utf16le');
  t.match(read(t, text), { ok: false, message: 'the file is UTF-16', hint: 'save it as UTF-8' });
  t.match(read(t, text.swap16()), { ok: false, message: 'the file is UTF-16' });
});

t.test('the largest allowed file is read whole, and one byte more is an error', async (t) => {
  const largest = read(t, Buffer.alloc(LARGEST_FILE, '#'));
  t.equal(largest.ok && largest.text.length, LARGEST_FILE);
  t.match(read(t, Buffer.alloc(LARGEST_FILE + 1, '#')), {
    ok: false,
    message: /^the file has 4\.0 MiB; the limit is 4 MiB/,
  });
});

t.test('a file without a known size is read if the caller may wait, up to the same limit', async (t) => {
  t.match(readText('/dev/null', { waits: true }), { ok: true, text: '' });
  t.match(readText('/dev/null', { waits: false }), { ok: false, message: /a pipe or a device/ });
  t.match(readText('/dev/zero', { waits: true }), {
    ok: false,
    message: 'the file is too large; the limit is 4 MiB',
  });
});
