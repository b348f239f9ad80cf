import t from 'tap';
import { type RequestLines, writeHead } from '../../../../src/gateway/upstreams/own/request-head.ts';
import fc, { tries } from '../../../support/properties.ts';

const get: RequestLines = {
  method: 'GET',
  path: '/',
  fields: ['host', 'a.example'],
  upgrade: undefined,
  content: 0,
  keepAlive: true,
};

const written: readonly (readonly [rule: string, lines: Partial<RequestLines>, text: string])[] = [
  ['RFC 9112 §3: a request without content', {}, 'GET / HTTP/1.1\r\nhost: a.example\r\nconnection: keep-alive\r\n\r\n'],
  [
    'RFC 9112 §9.6: the last of its connection',
    { keepAlive: false, fields: [] },
    'GET / HTTP/1.1\r\nconnection: close\r\n\r\n',
  ],
  [
    'RFC 9112 §3.2: the target as it is',
    { path: '/a?b=%0d%0a\xe9', fields: [] },
    'GET /a?b=%0d%0a\xe9 HTTP/1.1\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9110 §8.6: a POST without content says so',
    { method: 'POST', fields: [] },
    'POST / HTTP/1.1\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9110 §8.6: a DELETE without content says nothing',
    { method: 'DELETE', fields: [] },
    'DELETE / HTTP/1.1\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9112 §6.2: a length is said once',
    { method: 'PUT', content: 3, fields: ['Content-Length', '3'] },
    'PUT / HTTP/1.1\r\nContent-Length: 3\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9112 §6.2: bytes are counted where nobody did',
    { method: 'GET', content: 3, fields: [] },
    'GET / HTTP/1.1\r\ncontent-length: 3\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9112 §7.1: a stream without a length goes in chunks',
    { method: 'PUT', content: undefined, fields: [] },
    'PUT / HTTP/1.1\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9112 §6.2: a stream with a length',
    { method: 'PUT', content: undefined, fields: ['content-length', '9'] },
    'PUT / HTTP/1.1\r\ncontent-length: 9\r\nconnection: keep-alive\r\n\r\n',
  ],
  [
    'RFC 9110 §7.8: another protocol',
    { upgrade: 'websocket', fields: [] },
    'GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ],
  ['RFC 9112 §5: an empty value', { fields: ['a', ''] }, 'GET / HTTP/1.1\r\na: \r\nconnection: keep-alive\r\n\r\n'],
];

for (const [rule, lines, text] of written) {
  t.test(rule, async (t) => t.equal(writeHead({ ...get, ...lines }).text, text));
}

const refused: readonly (readonly [rule: string, lines: Partial<RequestLines>])[] = [
  ['RFC 9112 §6.3: content that is longer than it says', { content: 4, fields: ['content-length', '3'] }],
  ['RFC 9112 §6.3: no content where some is announced', { content: 0, fields: ['content-length', '3'] }],
  ['RFC 9112 §6.3: two lengths', { content: 3, fields: ['content-length', '3', 'Content-Length', '3'] }],
  ['RFC 9112 §6.2: no length', { content: 3, fields: ['content-length', '3, 3'] }],
  ['RFC 9112 §6.2: a length with a sign', { content: 3, fields: ['content-length', '+3'] }],
  ['RFC 9112 §6.1: a coding that is not ours', { content: undefined, fields: ['Transfer-Encoding', 'chunked'] }],
  ['RFC 9110 §9.3.6: CONNECT', { method: 'CONNECT', path: 'a:1' }],
  ['RFC 9112 §3: no target', { path: '' }],
  ['RFC 9110 §9.1: no method', { method: '' }],
];

for (const [rule, lines] of refused) {
  t.test(`${rule} is not a request`, async (t) => {
    t.throws(() => writeHead({ ...get, ...lines }), { code: 'UND_ERR_INVALID_ARG' });
  });
}

const places: Readonly<Record<string, (text: string) => Partial<RequestLines>>> = {
  method: (text) => ({ method: `GE${text}T` }),
  target: (text) => ({ path: `/a${text}b` }),
  name: (text) => ({ fields: [`a${text}b`, 'c'] }),
  value: (text) => ({ fields: ['a', `b${text}c`] }),
  protocol: (text) => ({ upgrade: `web${text}socket` }),
};

for (const [place, make] of Object.entries(places)) {
  t.test(`RFC 9112 §2.2, §11.1: nothing in a ${place} ends its line`, async (t) => {
    for (const text of [
      '\r',
      '\n',
      '\r\n',
      '\0',
      '\r\nx: y',
      '\r\n\r\nGET / HTTP/1.1\r\n\r\n',
      '\u010a',
      '\u010d',
      '\u560a',
      '\u2028',
    ])
      t.throws(() => writeHead({ ...get, ...make(text) }), { code: 'UND_ERR_INVALID_ARG' }, encodeURIComponent(text));
  });
}

t.test('RFC 9112 §11.1: whatever the input, it writes one request with the given lines, or none', async () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\r', '\n', '\0', ':', ' ', 'a'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  });
  const lines = fc.record({
    method: fc.oneof(fc.constant('GET'), text),
    path: text.map((rest) => `/${rest}`),
    fields: fc.array(fc.tuple(text, text)),
  });
  fc.assert(
    fc.property(lines, ({ method, path, fields }) => {
      const made = attempt({ ...get, method, path, fields: fields.flat() });
      if (made === undefined) return;
      const rows = Buffer.from(made, 'latin1')
        .toString('latin1')
        .slice(0, -4)
        .split(/\r\n|\r|\n|\0/);
      const expected = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
      if (rows.slice(0, expected.length).join('\r\n') !== expected.join('\r\n')) throw new Error(JSON.stringify(rows));
      if (rows.length > expected.length + 2) throw new Error(`more lines than given: ${JSON.stringify(rows)}`);
    }),
    tries(2_000, 50_000),
  );
});

function attempt(lines: RequestLines): string | undefined {
  try {
    return writeHead(lines).text;
  } catch {
    return undefined;
  }
}
