import t from 'tap';
import { EventStream } from '../../../src/gateway/mcp/event-stream.ts';
import fc, { tries } from '../../support/properties.ts';

const TOO_LONG = { message: 'an event is longer than `mcp.body`' };

interface Event {
  readonly data: string;
  readonly type: string;
  readonly id: string;
}

/** The events that the HTML standard finds in a stream, with the id that the client has after each. */
function eventsIn(stream: Buffer): readonly Event[] {
  const found: Event[] = [];
  let [data, type, id, next] = [[] as string[], '', '', ''];
  for (const line of new TextDecoder().decode(stream).split(/\r\n|\n|\r/)) {
    if (line === '') {
      id = next;
      if (data.length > 0) found.push({ data: data.join('\n'), type, id });
      [data, type] = [[], ''];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id' && !value.includes('\0')) next = value;
  }
  return found;
}

const data = (text: string) => text.replaceAll('secret', '[]');
const id = (text: string) => `${text}.sealed`;
const changing = () => new EventStream({ data, id, passesLong: false }, 10_000);

function through(chunks: readonly Buffer[], stream = changing()): string {
  return chunks.map((chunk) => stream.push(chunk)).join('') + stream.end();
}

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((one, other) => one - other);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const values = fc.oneof(
  fc.constantFrom('', ' ', ' x', 'secret', '{"a":1}', 'a\0b', '\u00e9\u{1f600}', '\ufeff', ':', 'a\u2028data: b'),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
);
const lines = fc.oneof(
  fc.constantFrom('', '', 'data', 'id', 'event', ':', 'data:', 'id:', 'data :x', 'Data: x', ' data: x', 'retry: 10'),
  fc
    .tuple(fc.constantFrom('data:', 'data: ', 'id: ', 'id:', 'event: ', ':', 'other: '), values)
    .map(([field, value]) => field + value),
);
const streams = fc
  .array(fc.tuple(lines, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
  .map((all) => all.map((parts) => parts.join('')).join(''));

t.test('a client finds the same events, with changed data and ids', async (t) => {
  const holds = fc.property(streams, fc.boolean(), (text, hasMark) => {
    const stream = Buffer.from((hasMark ? '\ufeff' : '') + text);
    const seen = eventsIn(Buffer.from(through([stream])));
    const expected = eventsIn(stream).map(({ data, type, id }) => ({
      data: data.replaceAll('secret', '[]'),
      type,
      id: id === '' ? '' : `${id}.sealed`,
    }));
    return JSON.stringify(seen) === JSON.stringify(expected);
  });
  fc.assert(holds, tries(500, 12_000));
  t.pass();
});

t.test('however the bytes are cut, the output is the same', async (t) => {
  const holds = fc.property(streams, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
    const bytes = Buffer.from(`\ufeff${text}`);
    return through(cut(bytes, places)) === through([bytes]);
  });
  fc.assert(holds, tries(500, 12_000));
  t.pass();
});

t.test('invalid UTF-8 is read in the same way, however it is cut', async (t) => {
  const holds = fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat()), (array, places) => {
    const bytes = Buffer.concat([Buffer.from('data: '), array]);
    return through(cut(bytes, places)) === through([bytes]);
  });
  fc.assert(holds, tries(500, 12_000));
  t.pass();
});

t.test('the line break does not matter, and one inside an event is kept', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['id: 1', 'data: a', 'data:b', '', ''].join(end);
    t.equal(through([Buffer.from(text)]), 'id: 1.sealed\ndata: a\ndata: b\n\n');
  }
});

t.test('an event goes out with its last byte, also if this is a carriage return', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const stream = changing();
    t.equal(stream.push(Buffer.from(`data: a${end}`)), '');
    t.equal(stream.push(Buffer.from(end)), 'data: a\n\n');
  }
});

t.test('a comment goes out at once, even inside an event', async (t) => {
  const stream = changing();
  t.equal(stream.push(Buffer.from('data: a\n: still here\n')), ': still here\n');
  t.equal(stream.push(Buffer.from('\n')), 'data: a\n\n');
});

t.test('a byte order mark at the start hides no field, and any other one is a character', async (t) => {
  t.equal(through([Buffer.from('\ufeffdata: secret\n\n')]), 'data: []\n\n');
  const parts = [...Buffer.from('\ufeffid: 1\n\n')].map((byte) => Buffer.from([byte]));
  t.equal(through(parts), 'id: 1.sealed\n\n');
  t.equal(through([Buffer.from('\ufeff\ufeffdata: secret\n\n')]), '\ufeffdata: secret\n\n');
});

t.test('an empty id stays empty, because it means that the client has none', async (t) => {
  t.equal(through([Buffer.from('id\n\n')]), 'id\n\n');
  t.equal(through([Buffer.from('id: \n\n')]), 'id: \n\n');
});

t.test('the last event goes out even if no empty line ends it', async (t) => {
  t.equal(through([Buffer.from('data: a')]), 'data: a\n');
  t.equal(through([Buffer.from('data: \xe2\x82', 'latin1')]), 'data: \ufffd\n');
  t.equal(through([]), '');
});

t.test('an event that is longer than the gateway holds ends the stream', async (t) => {
  const small = () => new EventStream({ data: (text) => text, id: (text) => text, passesLong: false }, 10);
  t.equal(through([Buffer.from('data: 1234\n\n'.repeat(100))], small()), 'data: 1234\n\n'.repeat(100));
  for (const text of ['data: 12345', 'data: 12345\n\n', 'data\ndata\ndata\n', `:${'a'.repeat(10)}`])
    t.throws(() => small().push(Buffer.from(text)), TOO_LONG, text);
  const ending = small();
  ending.push(Buffer.from('data: 1234\xe2', 'latin1'));
  t.throws(() => ending.end(), TOO_LONG);
});

const LONGEST = 40;
const passing = () => new EventStream({ data: (text) => text, id, passesLong: true }, LONGEST);

t.test('if long events pass, a client finds the same events with changed ids, however the bytes are cut', async (t) => {
  const holds = fc.property(streams, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
    // A field that must be complete cannot pass in pieces.
    fc.pre(text.split(/[\r\n]/).every((line) => line.startsWith('data') || line.length <= LONGEST));
    const bytes = Buffer.from(text);
    const seen = eventsIn(Buffer.from(through(cut(bytes, places), passing())));
    const expected = eventsIn(bytes).map((event) => ({ ...event, id: event.id === '' ? '' : id(event.id) }));
    return JSON.stringify(seen) === JSON.stringify(expected);
  });
  fc.assert(holds, tries(1000, 12_000));
  t.pass();
});

t.test('data of any length pass without being held, and the next event is held again', async (t) => {
  const stream = passing();
  t.equal(
    stream.push(Buffer.from(`id: 1\ndata: ${'a'.repeat(LONGEST)}`)),
    `id: 1.sealed\ndata: ${'a'.repeat(LONGEST)}`,
  );
  for (let count = 0; count < 10; count++) {
    t.equal(stream.push(Buffer.from('b'.repeat(LONGEST))), 'b'.repeat(LONGEST));
    t.equal(stream.held, 0);
  }
  t.equal(stream.push(Buffer.from('\nid: 2\n\ndata: c\n')), '\nid: 2.sealed\n\n');
  t.equal(stream.push(Buffer.from('\n')), 'data: c\n\n');
  t.throws(() => stream.push(Buffer.from(`id: ${'a'.repeat(LONGEST)}`)), TOO_LONG, 'an id must be complete');
});
