import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { skipUnlessFullSize } from '../support/long.ts';
import { highWater } from '../support/memory.ts';
import { startProcess } from '../support/process.ts';
import { serving } from '../support/serving.ts';

/** At this rate, 1 GiB takes 85 s: longer than every timeout of a transfer at its default. The longest is 75 s. */
const RATE = 12 * 1024 * 1024;
const SIZE = 1024 * 1024 * 1024;
const CHUNK = 64 * 1024;

const seconds = SIZE / RATE;
/** Starts programs: 90 s in .ci/run on a busy machine. */
t.setTimeout((seconds + 600) * 1000);

/** Bytes that differ from chunk to chunk, so that a hash notices a lost, repeated or swapped chunk. */
function* content(): Generator<Buffer> {
  for (let index = 0; index < SIZE / CHUNK; index++) {
    const chunk = Buffer.alloc(CHUNK, index % 251);
    chunk.writeUInt32BE(index);
    yield chunk;
  }
}

/** Forwards no more than the rate. */
function throttle(): Transform {
  const start = performance.now();
  let bytes = 0;
  return new Transform({
    highWaterMark: CHUNK,
    async transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      const early = (bytes / RATE) * 1000 - (performance.now() - start);
      if (early > 0) await pause(early);
      done(null, chunk);
    },
  });
}

function hashing(): { sink: Writable; result(): { bytes: number; hash: string } } {
  const hash = createHash('sha256');
  let bytes = 0;
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    hash.update(chunk);
    bytes += chunk.length;
    done();
  };
  return { sink: new Writable({ write, highWaterMark: CHUNK }), result: () => ({ bytes, hash: hash.digest('hex') }) };
}

/** Uploads are read slowly; downloads are written as fast as the gateway reads. */
async function upstream(t: Test): Promise<string> {
  const server: Server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  return serving(t, server);
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (incoming.method === 'GET') {
    outgoing.writeHead(200, { 'content-length': SIZE });
    await pipeline(Readable.from(content(), { objectMode: false }), outgoing);
  } else {
    const { sink, result } = hashing();
    await pipeline(incoming, throttle(), sink);
    outgoing.end(JSON.stringify(result()));
  }
}

interface Transfer {
  readonly status: number | undefined;
  readonly bytes: number;
  readonly hash: string;
}

/** Sends as fast as the gateway reads. The slow reader is behind it. */
async function upload(port: number): Promise<Transfer> {
  const outgoing = request({ port, method: 'POST', path: '/public/upload', headers: { 'content-length': SIZE } });
  const answer = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.on('response', resolve).on('error', reject),
  );
  await pipeline(Readable.from(content(), { objectMode: false }), outgoing);
  const incoming = await answer;
  const text = (await incoming.toArray()).join('');
  return { status: incoming.statusCode, ...JSON.parse(text) };
}

/** Reads slowly. The fast sender is behind the gateway. */
async function download(port: number): Promise<Transfer> {
  const outgoing = request({ port, path: '/public/download' });
  const answer = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.on('response', resolve).on('error', reject),
  );
  outgoing.end();
  const incoming = await answer;
  const { sink, result } = hashing();
  await pipeline(incoming, throttle(), sink);
  return { status: incoming.statusCode, ...result() };
}

function expected(): { bytes: number; hash: string } {
  const hash = createHash('sha256');
  for (const chunk of content()) hash.update(chunk);
  return { bytes: SIZE, hash: hash.digest('hex') };
}

const options = { skip: skipUnlessFullSize };

t.test(
  '1 GiB up and 1 GiB down through slow peers outlast every timeout and cost less than 40 MiB',
  options,
  async (t) => {
    const running = await startProcess({ config: behind(await upstream(t)) });
    t.teardown(() => running.stop());
    // Growth from any work, independent of the size of bodies, is not measured.
    for (let i = 0; i < 500; i++) await (await fetch(`http://127.0.0.1:${running.port}/nowhere`)).arrayBuffer();
    const before = highWater(running.pid);
    const start = performance.now();
    const transfers = await Promise.all([upload(running.port), download(running.port)]);
    const grown = (highWater(running.pid) - before) / 1024;
    t.ok(performance.now() - start > seconds * 900, 'the peers were slow');
    t.same(transfers, Array(2).fill({ status: 200, ...expected() }), 'both arrived whole');
    t.ok(grown < 40, `grew by ${Math.round(grown)} MiB`);
    t.ok(running.running);
  },
);
