import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { readPlainHead } from '../../../../src/gateway/listener/http1/plain-head.ts';
import fc, { tries } from '../../../support/properties.ts';

const LIMIT = 200;
const read = (text: string, from = 0) => readPlainHead(Buffer.from(text, 'latin1'), from, LIMIT);
const head = (line: string, ...fields: readonly string[]) => `${[line, ...fields].join('\r\n')}\r\n\r\n`;
const GET = 'GET / HTTP/1.1';
const POST = 'POST / HTTP/1.1';
const HOST = 'Host: a';

t.test('a request without content is read, its fields as received', async (t) => {
  const text = head('HEAD /a?b=%20c HTTP/1.1', 'hOST:a', 'X-Empty:', 'X-Blank: \t ', 'X-Text: \t\xe9 b\t', 'x-text: 2');
  t.strictSame(read(`${text}GET`), {
    method: 'HEAD',
    target: '/a?b=%20c',
    section: {
      text: text.slice(text.indexOf('\r\n') + 2, -2),
      rawHeaders: ['hOST', 'a', 'X-Empty', '', 'X-Blank', '', 'X-Text', '\xe9 b', 'x-text', '2'],
      isLast: false,
      length: undefined,
      changed: undefined,
    },
    content: text.length,
    end: text.length,
  });
});

t.test('a request whose whole content has arrived is read, and the next one begins after it', async (t) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const start = head(`${method} / HTTP/1.1`, HOST, 'content-LENGTH: 4');
    const first = read(`${start}\r\n\r\nGET`);
    t.match(first, { method, section: { length: 4 }, content: start.length, end: start.length + 4 });
    const none = head(`${method} / HTTP/1.1`, HOST);
    t.match(read(`${none}GET`), { method, section: { length: undefined }, content: none.length, end: none.length });
    const empty = head(`${method} / HTTP/1.1`, HOST, 'Content-Length: 0');
    t.match(read(empty), { section: { length: 0 }, end: empty.length });
  }
});

t.test('a request may begin anywhere in the bytes', async (t) => {
  const text = `${head(GET, HOST)}${head('GET /2 HTTP/1.1', HOST)}`;
  const second = read(text, head(GET, HOST).length);
  t.match(second, { target: '/2', end: text.length });
});

t.test('Connection says whether another request may follow, in any case of its letters', async (t) => {
  for (const [value, isLast] of [
    ['close', true],
    ['Close', true],
    ['keep-alive', false],
    ['Keep-Alive \t', false],
  ] as const)
    t.match(read(head(GET, HOST, `CONNECTION:${value}`)), { section: { isLast } }, value);
});

t.test('any number of names is read, and the few that decide keep their meaning', async (t) => {
  const limit = 64 * 1024;
  for (let count = 0; count < 5_000; count++) {
    const text = head(GET, HOST, `X-${count}: a`, `${'y'.repeat(100 + (count % 7))}${count}: b`);
    const found = readPlainHead(Buffer.from(text, 'latin1'), 0, limit);
    if (typeof found !== 'object' || found.section.rawHeaders[2] !== `X-${count}`) t.fail(text);
  }
  t.equal(read(head(GET, HOST, 'Content-Length: 1')), 'foreign');
  t.equal(read(head(GET, 'host: a', HOST)), 'foreign');
});

/** Each is left to Node's parser. */
const foreign: Readonly<Record<string, string>> = {
  'another method': head('OPTIONS / HTTP/1.1', HOST),
  'a beginning of a method': head('POS / HTTP/1.1', HOST),
  'a method in lower case': head('get / HTTP/1.1', HOST),
  'a longer method': head('GETS / HTTP/1.1', HOST),
  'HTTP/1.0': head('GET / HTTP/1.0', HOST),
  'HTTP/2': head('GET / HTTP/2.0', HOST),
  'two spaces': head('GET  / HTTP/1.1', HOST),
  'two spaces before the version': head('GET /  HTTP/1.1', HOST),
  'a target in absolute form': head('GET http://a/ HTTP/1.1', HOST),
  'a target that is a star': head('GET * HTTP/1.1', HOST),
  'a target in more than ASCII': head('GET /\xe9 HTTP/1.1', HOST),
  'a tab in the target': head('GET /\t HTTP/1.1', HOST),
  'an empty line before it': `\r\n${head(GET, HOST)}`,
  'bare LF': 'GET / HTTP/1.1\nHost: a\n\n',
  'no Host': head(GET, 'X: a'),
  'no field': head(GET),
  'two Host': head(GET, HOST, 'host: a'),
  'a folded line': head(GET, HOST, 'X: a', ' b'),
  'a space before the colon': head(GET, 'Host : a'),
  'a name that is no token': head(GET, HOST, 'X(Y): a'),
  'no name': head(GET, HOST, ': a'),
  'no colon': head(GET, HOST, 'X'),
  'a bare CR': head(GET, HOST, 'X: a\rb'),
  'a bare LF in a value': head(GET, HOST, 'X: a\nb'),
  NUL: head(GET, HOST, 'X: a\0b'),
  DEL: head(GET, HOST, 'X: a\x7fb'),
  'Content-Length of a GET': head(GET, HOST, 'Content-Length: 0'),
  'content that is not all here': `${head(POST, HOST, 'Content-Length: 3')}ab`,
  'a sign in Content-Length': `${head(POST, HOST, 'Content-Length: +2')}ab`,
  'a zero before Content-Length': `${head(POST, HOST, 'Content-Length: 02')}ab`,
  'Content-Length in hex': `${head(POST, HOST, 'Content-Length: 0x2')}ab`,
  'an empty Content-Length': head(POST, HOST, 'Content-Length:'),
  'a list in Content-Length': `${head(POST, HOST, 'Content-Length: 2, 2')}ab`,
  'two Content-Length': `${head(POST, HOST, 'Content-Length: 2', 'content-length: 2')}ab`,
  'Content-Length beside Transfer-Encoding': `${head(POST, HOST, 'Content-Length: 2', 'Transfer-Encoding: chunked')}ab`,
  'Transfer-Encoding': head(GET, HOST, 'transfer-encoding: chunked'),
  Expect: head(GET, HOST, 'EXPECT: 100-continue'),
  Upgrade: head(GET, HOST, 'Upgrade: h2c'),
  Trailer: head(GET, HOST, 'Trailer: X'),
  'Proxy-Connection': head(GET, HOST, 'Proxy-Connection: keep-alive'),
  'an option of Connection': head(GET, HOST, 'Connection: keep-alive, X'),
  'an empty Connection': head(GET, HOST, 'Connection:'),
  'two Connection': head(GET, HOST, 'Connection: close', 'Connection: close'),
  'a head as long as the limit': head(GET, HOST, `X: ${'x'.repeat(LIMIT - 32)}`),
};

for (const [name, text] of Object.entries(foreign))
  t.test(`a request is not read here because of ${name}`, async (t) => {
    t.equal(read(text), 'foreign');
  });

t.test('a head one byte below the limit is read', async (t) => {
  const text = head(GET, HOST, `X: ${'x'.repeat(LIMIT - 33)}`);
  t.equal(text.length, LIMIT - 1);
  t.match(read(text), { target: '/' });
});

t.test('every beginning of a head that is read here may become a head, unless it is too long', async (t) => {
  const text = head('HEAD /a HTTP/1.1', HOST, 'X-Y: z', 'Connection: close');
  for (let length = 1; length < text.length; length++) t.equal(read(text.slice(0, length)), 'unfinished', `${length}`);
  t.equal(read(`GET /${'a'.repeat(LIMIT - 6)}`), 'unfinished');
  t.equal(read(`GET /${'a'.repeat(LIMIT - 5)}`), 'foreign');
  t.equal(read(`GET / HTTP/1.1\r\nX: ${'a'.repeat(LIMIT - 19)}`), 'foreign');
});

t.test('a long head is read here if it is whole, and is left to Node if it arrives in pieces', async (t) => {
  const limit = 512 * 1024;
  const text = head(GET, HOST, `X: ${'a'.repeat(200_000)}`);
  const readLong = (part: string) => readPlainHead(Buffer.from(part, 'latin1'), 0, limit);
  t.match(readLong(text), { target: '/', end: text.length });
  t.equal(readLong(text.slice(0, 16 * 1024 - 1)), 'unfinished');
  t.equal(readLong(text.slice(0, 16 * 1024)), 'foreign');
});

t.test('a fault in a head is found before its end, so that its client gets an immediate answer', async (t) => {
  for (const name of [
    'two spaces',
    'HTTP/1.0',
    'NUL',
    'a space before the colon',
    'a folded line',
    'bare LF',
    'Content-Length of a GET',
    'Expect',
  ]) {
    const text = foreign[name] ?? '';
    t.equal(read(text.slice(0, -4)), 'foreign', name);
  }
});

const CREDENTIAL = 'Authorization: Bearer a';
const sectionOf = (...fields: readonly string[]) => {
  const found = readPlainHead(Buffer.from(head(GET, ...fields), 'latin1'), 0, LIMIT);
  return typeof found === 'string' ? undefined : found.section;
};
/** As it is read on its own, and after another section. */
const readTwice = (before: readonly string[], fields: readonly string[]) => {
  const bytes = Buffer.from(head(GET, ...fields), 'latin1');
  const after = readPlainHead(bytes, 0, LIMIT, sectionOf(...before));
  return { alone: read(head(GET, ...fields)), after };
};

/** What a section says, without what it says of the section before. */
const said = (found: ReturnType<typeof read>) => {
  if (typeof found === 'string') return found;
  const { text, rawHeaders, isLast, length } = found.section;
  return { ...found, section: { text, rawHeaders, isLast, length } };
};
const changedIn = (found: ReturnType<typeof read>) => (typeof found === 'string' ? found : found.section.changed);

t.test('a section with other values than the one before is read as it is on its own', async (t) => {
  const before = [HOST, CREDENTIAL, 'X: 1', 'Connection: close'];
  for (const value of ['', 'b', '\t b c \t', 'Bearer a longer one', '\xe9'])
    for (const [at, fields] of [
      [[2], [HOST, `Authorization:${value}`, 'X: 1', 'Connection: close']],
      [[4], [HOST, CREDENTIAL, `X:${value}`, 'Connection: close']],
      [
        [2, 4],
        [HOST, `Authorization: ${value}`, `X: ${value}`, 'Connection: close'],
      ],
    ] as const) {
      const { alone, after } = readTwice(before, fields);
      t.strictSame(said(after), said(alone), value);
      t.strictSame(changedIn(after), at, value);
    }
});

t.test('a section with another length than the one before has this length', async (t) => {
  const post = (length: string) =>
    Buffer.from(head(POST, HOST, `Content-Length: ${length}`) + 'x'.repeat(12), 'latin1');
  const first = readPlainHead(post('10'), 0, LIMIT);
  const section = typeof first === 'string' ? undefined : first.section;
  const after = readPlainHead(post('3'), 0, LIMIT, section);
  t.match(after, { section: { length: 3, changed: [2] }, end: post('3').length - 9 });
  for (const wrong of ['03', '+3', '', '3, 3', '123456', '0x3'])
    t.equal(readPlainHead(post(wrong), 0, LIMIT, section), 'foreign', wrong);
});

t.test('a section with many lines or many other values is read in full', async (t) => {
  const many = (count: number, value: string) => Array.from({ length: count }, (_, index) => `${index}:${value}`);
  const after = (lines: number, changed: number) => {
    const [from, to] = [many(lines, '1'), [...many(changed, '2'), ...many(lines, '1').slice(changed)]];
    const [first, second] = [from, to].map((each) => Buffer.from(head(GET, HOST, ...each), 'latin1'));
    const before = readPlainHead(first as Buffer, 0, 1000);
    return changedIn(readPlainHead(second as Buffer, 0, 1000, typeof before === 'string' ? undefined : before.section));
  };
  t.equal((after(63, 8) as readonly number[]).length, 8);
  t.equal(after(63, 9), undefined);
  t.equal(after(64, 1), undefined);
});

t.test('any other difference to the section before is read in full', async (t) => {
  const before = [HOST, CREDENTIAL, 'X: 1', 'Connection: keep-alive'];
  const end = 'Connection: keep-alive';
  for (const fields of [
    [HOST, 'Authorization: b', 'Y: 1', 'X: 1', end],
    [HOST, 'Authorization: b', CREDENTIAL, 'X: 1', end],
    [HOST, 'authorization: b', 'X: 1', end],
    [HOST, 'Authorization: b', end],
    [HOST, 'Authorization: b'],
    [HOST, 'X: 1', end],
    ['Host: b', CREDENTIAL, 'X: 1', end],
    [HOST, CREDENTIAL, 'X: 1', 'Connection: close'],
    [HOST, CREDENTIAL, 'X: 1', 'Connection: X'],
    [HOST, 'Authorization: b\x00', 'X: 1', end],
    [HOST, 'Authorization: b\r', 'X: 1', end],
    [HOST, 'Authorization: b\n', 'X: 1', end],
    [HOST, CREDENTIAL, 'X: 1\r', end],
    [HOST, CREDENTIAL, 'X: 1\r\n a', end],
    [HOST, CREDENTIAL, 'X : 1', end],
    [HOST, CREDENTIAL, 'X', end],
    [HOST, 'Authorization: b', 'Expect: 100-continue', 'X: 1', end],
    [HOST, 'Authorization: b', 'Content-Length: 1', 'X: 1', end],
    [HOST, HOST, 'Authorization: b', 'X: 1', end],
  ]) {
    const { alone, after } = readTwice(before, fields);
    t.strictSame(said(after), said(alone), fields.join());
    t.equal(changedIn(after), typeof alone === 'string' ? alone : undefined, fields.join());
  }
});

const name = fc.constantFrom('Host', 'X', 'x', 'XY', 'Authorization', 'Content-Length', 'Connection', 'TE', 'Expect');
const value = fc.constantFrom('', '1', ' 1', '2 ', 'close', 'a: b', 'a\r', 'a\n', 'X: 1', '\x7f', 'long '.repeat(5));
/** Mostly the same names, each time with values. */
const chain = fc.array(name, { maxLength: 5 }).chain((names) => {
  const some = fc.oneof({ weight: 5, arbitrary: fc.constant(names) }, fc.array(name, { maxLength: 5 }));
  const section = some.chain((all) => fc.tuple(...all.map((each) => value.map((text) => `${each}:${text}`))));
  return fc.array(section, { minLength: 2, maxLength: 5 });
});

t.test('a section is read after any chain of sections as it is on its own', async (t) => {
  let kin = 0;
  fc.assert(
    fc.property(chain, (sections) => {
      let before: Parameters<typeof readPlainHead>[3];
      return sections.every((each) => {
        const bytes = Buffer.from(head('POST / HTTP/1.1', HOST, ...each), 'latin1');
        const after = readPlainHead(bytes, 0, 1000, before);
        if (Array.isArray(changedIn(after))) kin++;
        if (typeof after !== 'string') before = after.section;
        return isDeepStrictEqual(said(after), said(readPlainHead(bytes, 0, 1000)));
      });
    }),
    tries(2000, 50_000),
  );
  t.ok(kin > 100, `${kin} sections differed only in values`);
});
