import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import { joined, parts } from '../../../faults/support/answer-grammar.ts';
import { mutated } from '../../../faults/support/answer-mutations.ts';
import fc, { tries } from '../../../support/properties.ts';
import { random } from '../../../support/random.ts';
import { type Read, type Reading, readAnswer } from './read-answers.ts';

/** 300,000 random answers in .ci/run: half a minute of one core, and longer if others use the core. */
t.setTimeout(180_000);

const bytes = (text: string) => Buffer.from(text, 'latin1');
const everyByte = Array.from({ length: 256 }, (_, byte) => Buffer.from([byte]));
const singly = (text: string) => Array.from(text, (_, index) => everyByte[text.charCodeAt(index)] as Buffer);
const one = (text: string) => [bytes(text)];
const ok = (lines: string, content = '') => `HTTP/1.1 200 OK\r\n${lines}\r\n${content}`;
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nconnection: x, Upgrade\r\nupgrade: websocket\r\n\r\n';

interface Vector {
  readonly rule: string;
  readonly text: string;
  readonly reading?: Reading;
  readonly read: Partial<Read>;
}

const INVALID = { code: 'INVALID_ANSWER' };
const CUT = { code: 'ECONNRESET', trailers: undefined };
const whole = (content: string, persists: boolean) => ({ content, persists, trailers: [], code: undefined });

const vectors: readonly Vector[] = [
  { rule: '§6.3: as long as it says', text: ok('content-length: 3\r\n', 'abc'), read: whole('abc', true) },
  { rule: '§6.3: until the connection ends', text: ok('', 'abc'), reading: { ends: true }, read: whole('abc', false) },
  {
    rule: '§6.3: until the connection ends, which it does not yet',
    text: ok('', 'abc'),
    read: { content: 'abc', trailers: undefined, code: undefined },
  },
  {
    rule: '§7.1: chunks and trailers',
    text: ok('transfer-encoding: chunked\r\n', '3\r\nabc\r\n0\r\na: b\r\n\r\n'),
    read: { content: 'abc', trailers: ['a', 'b'], persists: true },
  },
  {
    rule: '§6.3: no content for a HEAD',
    text: ok('content-length: 3\r\n'),
    reading: { method: 'HEAD' },
    read: whole('', false),
  },
  {
    rule: '§6.3: content for a HEAD',
    text: ok('content-length: 3\r\n', 'abc'),
    reading: { method: 'HEAD' },
    read: INVALID,
  },
  { rule: '§6.3: no content of a 304', text: 'HTTP/1.1 304 x\r\n\r\n', read: whole('', true) },
  { rule: '§6.3: content of a 204', text: 'HTTP/1.1 204 x\r\n\r\na', read: INVALID },
  { rule: '§8: the end before anything', text: '', reading: { ends: true }, read: { ...CUT, heads: [] } },
  {
    rule: '§8: the end in the head',
    text: 'HTTP/1.1 200 OK\r\na: b\r\n',
    reading: { ends: true },
    read: { ...CUT, heads: [] },
  },
  {
    rule: '§8: the end before all that was announced',
    text: ok('content-length: 3\r\n', 'ab'),
    reading: { ends: true },
    read: { ...CUT, content: 'ab' },
  },
  {
    rule: '§8: the end between chunks',
    text: ok('transfer-encoding: chunked\r\n', '3\r\nabc\r\n'),
    reading: { ends: true },
    read: CUT,
  },
  {
    rule: '§8: the end in the trailers',
    text: ok('transfer-encoding: chunked\r\n', '0\r\na: b\r\n'),
    reading: { ends: true },
    read: CUT,
  },
  { rule: '§8: the end behind an interim answer', text: 'HTTP/1.1 103 x\r\n\r\n', reading: { ends: true }, read: CUT },
  { rule: '§9.2: a byte behind the end', text: ok('content-length: 0\r\n', 'x'), read: { ...INVALID, trailers: [] } },
  {
    rule: '§9.2: a line behind the end',
    text: ok('content-length: 1\r\n', 'a\r\n'),
    read: { ...INVALID, content: 'a', trailers: [] },
  },
  {
    rule: '§9.2: an answer behind the answer',
    text: ok('content-length: 0\r\n', ok('content-length: 0\r\n')),
    read: { ...INVALID, trailers: [] },
  },
  {
    rule: '§9.2: an interim answer behind the answer',
    text: ok('content-length: 0\r\n', 'HTTP/1.1 103 x\r\n\r\n'),
    read: { ...INVALID, trailers: [] },
  },
  {
    rule: '§9.2: a byte behind the last chunk',
    text: ok('transfer-encoding: chunked\r\n', '0\r\n\r\nx'),
    read: { ...INVALID, trailers: [] },
  },
  {
    rule: '§15.2 of RFC 9110: interim answers',
    text: `HTTP/1.1 100 x\r\n\r\nHTTP/1.1 103 x\r\na: b\r\n\r\n${ok('content-length: 1\r\n', 'a')}`,
    read: {
      heads: [
        [100, []],
        [103, ['a', 'b']],
        [200, ['content-length', '1']],
      ],
      content: 'a',
      persists: true,
    },
  },
  {
    rule: '§7.8 of RFC 9110: a switch',
    text: `${SWITCH}\0\x01`,
    reading: { upgrades: true },
    read: { rest: '\0\x01', persists: false, code: undefined },
  },
  { rule: '§7.8 of RFC 9110: a switch for which nobody asked', text: SWITCH, read: { ...INVALID, heads: [] } },
  {
    rule: '§7.8 of RFC 9110: a switch to nothing',
    text: 'HTTP/1.1 101 x\r\nconnection: upgrade\r\n\r\n',
    reading: { upgrades: true },
    read: { ...INVALID, heads: [] },
  },
  {
    rule: '§7.8 of RFC 9110: a switch to nothing, said twice (empty elements of a list, §5.6.1)',
    text: 'HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade:\r\nupgrade: ,\r\n\r\n',
    reading: { upgrades: true },
    read: { ...INVALID, heads: [] },
  },
  {
    rule: '§7.8 of RFC 9110: a switch without Connection',
    text: 'HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: x upgrade\r\n\r\n',
    reading: { upgrades: true },
    read: { ...INVALID, heads: [] },
  },
  {
    rule: '§7.8 of RFC 9110: no switch, and the connection is not believed any more',
    text: ok('content-length: 0\r\n'),
    reading: { upgrades: true },
    read: whole('', false),
  },
  { rule: '§2.2: what begins as no answer is not waited for', text: 'x', read: INVALID },
  { rule: '§2.2: nor what is TLS', text: '\x15\x03\x01\x00\x02\x02\x46', read: INVALID },
  { rule: '§2.2: nor what is HTTP/2', text: '\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64', read: INVALID },
  { rule: '§2.2: nor lines that end with LF', text: 'HTTP/1.1 200 OK\ncontent-length: 0\n\n', read: INVALID },
  { rule: '§2.2: nor a bare CR', text: 'HTTP/1.1 200 OK\r\na: b\rc', read: INVALID },
  { rule: '§5.5: nor a NUL', text: 'HTTP/1.1 200 OK\r\na: \0', read: INVALID },
];

for (const { rule, text, reading, read } of vectors) {
  t.test(`RFC 9112 ${rule}: ${JSON.stringify(text.slice(0, 80))}`, async (t) => {
    t.match(readAnswer(one(text), reading), read);
    const byBytes = singly(text);
    t.match(readAnswer(byBytes, reading), read, 'byte by byte');
    t.match(readAnswer(byBytes, { ...reading, pausesAt: () => true }), read, 'with pauses');
  });
}

t.test('the largest head is 64 KiB without its end, wherever it is cut', async (t) => {
  const head = (size: number) => `HTTP/1.1 200 OK\r\na: `.padEnd(size, 'b');
  for (const [size, code] of [
    [65_536, undefined],
    [65_537, 'INVALID_ANSWER'],
  ] as const) {
    const text = `${head(size)}\r\n\r\n${'c'.repeat(70_000)}`;
    for (const at of [0, 1, 100, 65_535, 65_536, 65_537, 65_538, 65_539, 65_540]) {
      const { code: read, content } = readAnswer([bytes(text.slice(0, at)), bytes(text.slice(at))]);
      t.equal(read, code, `${size} bytes, cut at ${at}`);
      if (code === undefined) t.equal(content.length, 70_000);
    }
  }
});

const answers = fc.integer({ min: 0, max: 2 ** 31 });
const cutting = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });

function cut(all: Buffer, at: readonly number[]): readonly Buffer[] {
  const bounds = [0, ...[...at].sort((a, b) => a - b).filter((each) => each < all.length), all.length];
  return bounds.slice(1).map((end, index) => all.subarray(bounds[index], end));
}

/** A valid answer or a damaged one. */
function answerOf(seed: number) {
  return seed % 2 === 0 ? joined(parts(random(seed))) : mutated(random(seed));
}

t.test('the result does not depend on how the bytes are cut', async () => {
  fc.assert(
    fc.property(answers, cutting, (seed, at) => {
      const { method, upgrades, ends, bytes: text } = answerOf(seed);
      const reading = { method, upgrades, ends };
      const expected = readAnswer(one(text), reading);
      deepStrictEqual(readAnswer(cut(bytes(text), at), reading), expected);
      deepStrictEqual(readAnswer(singly(text), reading), expected);
    }),
    tries(1_000, 25_000),
  );
});

t.test('pauses anywhere lose and repeat nothing, even if the upstream ends in the meantime', async () => {
  fc.assert(
    fc.property(answers, cutting, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (seed, at, pauses) => {
      const { method, upgrades, ends, bytes: text } = answerOf(seed);
      const reading = { method, upgrades, ends };
      const pausesAt = (call: number) => pauses[call % pauses.length] as boolean;
      deepStrictEqual(readAnswer(cut(bytes(text), at), { ...reading, pausesAt }), readAnswer(one(text), reading));
    }),
    tries(1_000, 25_000),
  );
});

t.test('after the end of an answer any byte makes the connection unusable, and answers no request', async () => {
  fc.assert(
    fc.property(
      answers,
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      cutting,
      fc.boolean(),
      (seed, extra, at, pauses) => {
        const { method, upgrades, bytes: text } = joined(parts(random(seed)));
        const reading = { method, upgrades, pausesAt: () => pauses };
        const alone = readAnswer(one(text), reading);
        if (alone.trailers === undefined) return;
        const followed = readAnswer(cut(Buffer.concat([bytes(text), extra]), at), reading);
        deepStrictEqual(followed, { ...alone, code: 'INVALID_ANSWER', persists: false });
      },
    ),
    tries(1_000, 25_000),
  );
});
