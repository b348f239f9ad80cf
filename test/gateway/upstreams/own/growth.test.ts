import t from 'tap';
import { readAnswerHead } from '../../../../src/gateway/upstreams/own/answer-head.ts';
import { AnswerReader, type AnswerSink } from '../../../../src/gateway/upstreams/own/answer-reader.ts';
import { growth } from '../../../support/growth.ts';
import { ownMemory } from '../../../support/memory.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const ok = (lines: string, content = '') => `HTTP/1.1 200 OK\r\n${lines}\r\n${content}`;

/** The content that fills heads. */
const fillings = [
  'a: b\r\n',
  'a:  \r\n',
  `a: ${'b'.repeat(1000)}\r\n`,
  'a'.repeat(64),
  ': ',
  ' ',
  '\t ',
  '\r\n',
  'a:\r',
];

/** Each reads a head of so many bytes; most are invalid. */
function reading(filling: string, size: number): () => void {
  const text = `HTTP/1.1 200 OK\r\n${filling.repeat(size / filling.length)}`;
  return () => {
    try {
      readAnswerHead(text, 'GET');
    } catch {
      // The time to say so counts too.
    }
  };
}

for (const filling of fillings) {
  t.test(`four times the head takes four times the time, never eight: ${JSON.stringify(filling)}`, async (t) => {
    const ratio = growth(reading(filling, 16_384), reading(filling, 65_536), 4);
    t.ok(ratio < 8, `×${ratio.toFixed(1)}`);
  });
}

const silent: AnswerSink = { onHead: () => true, onData: () => true, onEnd() {}, onSwitch() {} };

const drips: Readonly<Record<string, (bytes: number) => string>> = {
  'a head of short lines': (size) => `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(size / 6)}`,
  'a head of one line': (size) => `HTTP/1.1 200 OK\r\na: ${'b'.repeat(size)}`,
  'the lines of chunks': (size) =>
    ok('transfer-encoding: chunked\r\n', `1;${'a'.repeat(900)}\r\nx\r\n`.repeat(size / 907)),
  'trailers of short lines': (size) => ok('transfer-encoding: chunked\r\n', `0\r\n${'a: b\r\n'.repeat(size / 6)}`),
  'a trailer of one line': (size) => ok('transfer-encoding: chunked\r\n', `0\r\na: ${'b'.repeat(size)}`),
};

function dripping(text: string): () => void {
  const drops = Array.from(text, bytes);
  return () => {
    const reader = new AnswerReader(silent);
    reader.begin({ method: 'GET', upgrades: false });
    for (const drop of drops) reader.read(drop);
  };
}

for (const [name, make] of Object.entries(drips)) {
  t.test(`byte by byte, four times the bytes take four times the time, never eight: ${name}`, async (t) => {
    const ratio = growth(dripping(make(8_000)), dripping(make(32_000)), 4);
    t.ok(ratio < 8, `×${ratio.toFixed(1)}`);
  });
}

t.test('a connection uses little more memory than what a dripping upstream has sent', async (t) => {
  for (const [name, make] of Object.entries(drips)) {
    const reader = new AnswerReader(silent);
    reader.begin({ method: 'GET', upgrades: false });
    const text = make(64_000);
    const before = await memory();
    for (const byte of text) reader.read(bytes(byte));
    const held = (await memory()) - before;
    t.ok(held < 4 * 1024 * 1024, `${name}: ${held} bytes`);
    t.ok(reader.isAwaited);
  }
});

async function memory(): Promise<number> {
  const { heapUsed, external } = await ownMemory();
  return heapUsed + external;
}
