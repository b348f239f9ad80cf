import t from 'tap';
import { Gathered } from '../../../src/gateway/client/gathered.ts';

const all = () => true;

function gathered(lengths: readonly number[]): { readonly it: Gathered; readonly sent: Buffer } {
  const chunks = lengths.map((length, index) => Buffer.alloc(length, index));
  const it = new Gathered(all);
  for (const chunk of chunks) it.add(chunk);
  return { it, sent: Buffer.concat(chunks) };
}

/** Bytes in whole buffers that garbage collection cannot free while the pieces are kept. */
const pinned = ({ pieces }: Gathered) =>
  [...new Set(pieces.map(({ buffer }) => buffer))].reduce((bytes, { byteLength }) => bytes + byteLength, 0);

const shapes: Readonly<Record<string, readonly number[]>> = {
  'nothing at all': [],
  'one byte': [1],
  'a form in one chunk': [20],
  '65,500 chunks of one byte': Array(65_500).fill(1),
  '1 MiB in chunks of seven bytes': Array(149_797).fill(7),
  'a long chunk among short ones': [...Array(100).fill(1), 100_000, ...Array(100).fill(1)],
  'short chunks behind a long one': [64 * 1024, 1, 1, 1],
  'long chunks alone': Array(10).fill(100_000),
};

for (const [what, lengths] of Object.entries(shapes)) {
  t.test(`${what}: unchanged, in few pieces, and in at most twice its memory`, async (t) => {
    const { it, sent } = gathered(lengths);
    t.equal(it.bytes, sent.length);
    t.ok(it.whole.equals(sent));
    t.ok(Buffer.concat(it.pieces).equals(sent));
    t.equal(it.allocated, pinned(it), 'what it says that it allocated');
    t.ok(it.allocated <= 2 * it.bytes, `${it.allocated} for ${it.bytes} bytes`);
    t.ok(it.pieces.length <= 40, `${it.pieces.length} pieces`);
  });
}

t.test('a body that arrived in one chunk is not copied', async (t) => {
  const { it } = gathered([20]);
  t.equal(it.whole.buffer, it.pieces[0]?.buffer);
});

t.test('memory is reserved for what arrived, and a chunk without available memory is kept', async (t) => {
  const asked: number[] = [];
  const it = new Gathered((bytes) => {
    asked.push(bytes);
    return asked.length < 3;
  });
  t.strictSame([it.add(Buffer.from('a')), it.add(Buffer.from('bc')), it.add(Buffer.from('def'))], [true, true, false]);
  t.strictSame(asked, [1, 2, 3]);
  t.equal(it.whole.toString(), 'abcdef');
});

t.test('a chunk that is a part of a large read does not keep all of the read', async (t) => {
  const read = Buffer.alloc(64 * 1024, 'x');
  const it = new Gathered(all);
  it.add(read.subarray(5, 6));
  t.equal(pinned(it), 1);
});
