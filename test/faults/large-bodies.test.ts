import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { highWater } from '../support/memory.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { requestText } from '../support/request-text.ts';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { sized } from './support/size.ts';
import { upstreamEngines } from './support/upstream-engines.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));
t.jobs = 2;

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const MIB = 1024 * 1024;
const ANSWER = 100 * MIB;

const READERS = sized(50, 100, 100);
const READING = sized(4_000, 20_000, 120_000);
const UPLOAD = sized(256 * MIB, 2048 * MIB, 2048 * MIB);

function* content(bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK.length) yield CHUNK;
}

/** Answers a GET with 100 MB as fast as the client reads, and other requests with the number of bytes that arrived. */
function upstream(t: Test): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    if (incoming.method !== 'GET') {
      incoming.on('end', () => outgoing.end(String(bytes)));
      return;
    }
    outgoing.writeHead(200, { 'content-length': ANSWER });
    // A reader that disconnects ends it early.
    await pipeline(Readable.from(content(ANSWER), { objectMode: false }), outgoing).catch(() => undefined);
  });
  return serving(t, server);
}

async function before(t: Test, block: object): Promise<GatewayProcess> {
  const url = await upstream(t);
  const gateway = await startProcess({ config: behind(url, { upstreams: { api: { url, ...block } } }) });
  t.teardown(() => gateway.stop());
  return gateway;
}

/** Growth from any work, independent of the size of bodies, is not measured. */
async function warmUp({ port }: GatewayProcess, path: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++)
    await (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'x' })).text();
}

/** Reads a kilobyte each time. */
class SlowReader {
  readonly #socket: Socket;
  bytes = 0;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.pause().write(requestText({ target: '/public/large' }));
    this.#socket.on('error', () => {});
    // Reading begins only when the caller has asked for bytes.
    this.#socket.on('readable', () => {});
  }

  get isThere(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded;
  }

  take(): void {
    this.bytes += (this.#socket.read(1000) as Buffer | null)?.length ?? 0;
  }

  leave(): void {
    this.#socket.destroy();
  }
}

for (const { name, block } of upstreamEngines) {
  void t.test(
    `${name}: a hundred readers at 1 kB/s of 100 MB each make the gateway grow by less than 50 MB`,
    async (t) => {
      const gateway = await before(t, block);
      await warmUp(gateway, '/public/warm', 2000);
      const start = highWater(gateway.pid);
      const readers = Array.from({ length: READERS }, () => new SlowReader(gateway.port));
      t.teardown(() => {
        for (const reader of readers) reader.leave();
      });
      for (let waited = 0; waited < READING; waited += 1000) {
        await pause(1000);
        for (const reader of readers) reader.take();
      }
      const grown = (highWater(gateway.pid) - start) / 1000;
      t.ok(
        readers.every(({ isThere }) => isThere),
        'all of them are still there',
      );
      t.ok(
        readers.every(({ bytes }) => bytes >= READING / 2),
        'all of them have read',
      );
      t.comment(`${READERS} readers: grew by ${Math.round(grown)} MB`);
      t.ok(grown < 50, `grew by ${Math.round(grown)} MB`);
      t.same(throws(gateway.output()), []);
    },
  );

  void t.test(`${name}: an upload of 2 GiB arrives whole and makes the gateway grow by less than 40 MiB`, async (t) => {
    const gateway = await before(t, block);
    await warmUp(gateway, '/public/warm', 2000);
    const start = highWater(gateway.pid);
    const outgoing = request({
      port: gateway.port,
      method: 'POST',
      path: '/public/upload',
      headers: { 'content-length': UPLOAD },
    });
    const answer = new Promise<string>((resolve, reject) =>
      outgoing.on('response', async (incoming) => resolve((await incoming.toArray()).join(''))).on('error', reject),
    );
    await pipeline(Readable.from(content(UPLOAD), { objectMode: false }), outgoing);
    t.equal(await answer, String(UPLOAD), 'whole');
    const grown = (highWater(gateway.pid) - start) / 1024;
    t.comment(`${UPLOAD / MIB} MiB: grew by ${Math.round(grown)} MiB`);
    t.ok(grown < 40, `grew by ${Math.round(grown)} MiB`);
    t.ok(await until(() => gateway.running));
    t.same(throws(gateway.output()), []);
  });
}
