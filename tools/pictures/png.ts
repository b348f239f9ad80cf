// Small PNG files: a picture of a page has few colors, so each pixel is an index into a palette. The browser writes
// four times as many bytes. Packages that do this bring a compiled library, which every checkout would install.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** PNG (third edition) §5.2. */
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Colors of a palette, §11.2.2. */
const COLORS = 256;

export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The chunks of a PNG, in order. Throws an Error for other data. */
export function chunksOf(png: Buffer): readonly Chunk[] {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('not a PNG: the signature is missing');
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** The same picture with a palette, and without any chunk that a viewer does not need. The input has 8 bits a channel. */
export function withPalette(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = chunks[0]?.data ?? Buffer.alloc(0);
  const [width, height, channels] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 6 ? 4 : 3];
  const rows = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const pixels = colorsOf(unfiltered(rows, width * channels, channels), channels);
  const palette = commonest(pixels);
  const indexed = Buffer.alloc(height * (width + 1));
  const nearest = nearestIn(palette);
  for (const [at, color] of pixels.entries()) indexed[at + Math.floor(at / width) + 1] = nearest(color);
  const form = Buffer.concat([header.subarray(0, 8), Buffer.from([8, 3, 0, 0, 0])]);
  const colors = Buffer.from(palette.flatMap(partsOf));
  const body = deflateSync(indexed, { level: 9, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', form),
    chunk('PLTE', colors),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** §9.2: each row begins with its filter, and each byte is a difference from a prediction. */
function unfiltered(data: Buffer, width: number, step: number): Buffer {
  const result = Buffer.alloc((data.length / (width + 1)) * width);
  for (let row = 0; row * width < result.length; row++) {
    const filter = data[row * (width + 1)] as number;
    for (let at = 0; at < width; at++) {
      const here = row * width + at;
      const left = at < step ? 0 : (result[here - step] as number);
      const above = row === 0 ? 0 : (result[here - width] as number);
      const corner = at < step || row === 0 ? 0 : (result[here - width - step] as number);
      result[here] = (data[row * (width + 1) + 1 + at] as number) + predicted(filter, left, above, corner);
    }
  }
  return result;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  return [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] as number;
}

/** §9.4. */
function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** Each pixel as one number. A page is opaque, so its alpha does not count. */
function colorsOf(data: Buffer, channels: number): readonly number[] {
  return Array.from({ length: data.length / channels }, (_, at) => data.readUIntBE(at * channels, 3));
}

function partsOf(color: number): readonly [number, number, number] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

function commonest(pixels: readonly number[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const order = [...counts].sort(([one, count], [other, more]) => more - count || one - other);
  return order.slice(0, COLORS).map(([color]) => color);
}

/** The index of the color of a palette that differs least. */
function nearestIn(palette: readonly number[]): (color: number) => number {
  const known = new Map(palette.map((color, index) => [color, index]));
  const distance = (one: number, other: number) => {
    const [parts, others] = [partsOf(one), partsOf(other)];
    return parts.reduce((sum, part, at) => sum + (part - (others[at] as number)) ** 2, 0);
  };
  return (color) => {
    const found = known.get(color);
    if (found !== undefined) return found;
    const distances = palette.map((each) => distance(color, each));
    const index = distances.indexOf(Math.min(...distances));
    known.set(color, index);
    return index;
  };
}
