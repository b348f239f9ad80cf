import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Starts a program. */
t.setTimeout(120_000);

/** An upstream that answers `/ok`, reads an upload to `/taken`, and reads nothing at `/held`. */
async function upstream(t: Test): Promise<{ readonly url: string; readonly codes: readonly number[] }> {
  const codes: number[] = [];
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, { ':path': path }) => {
    stream.on('error', () => {}).on('aborted', () => codes.push(stream.rstCode));
    if (path === '/taken') stream.resume();
    if (path !== '/ok') return;
    stream.respond({ ':status': 200 });
    stream.end('ok');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, codes };
}

interface Broken {
  readonly head: string;
  readonly body: (bytes: number) => string;
  /** Whether the client leaves once it has sent that. */
  readonly leaves?: true;
}

const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;

const uploads: Readonly<Record<string, Broken>> = {
  'a chunk that is none': { head: 'Transfer-Encoding: chunked', body: (bytes) => `${chunk(bytes)}zz\r\n` },
  'a client that leaves': { head: 'Content-Length: 300000', body: (bytes) => 'a'.repeat(bytes), leaves: true },
  'a body above the limit': { head: 'Transfer-Encoding: chunked', body: (bytes) => chunk(bytes) + chunk(400_000) },
  'an upstream that answers nothing': { head: 'Content-Length: 300000', body: (bytes) => 'a'.repeat(bytes) },
};

/** About what a stream may accept at first (RFC 9113 §6.9.2), and about what the gateway buffers of a body. */
const SIZES = [65_535, 65_536, 131_072];

/** The answer to a request, or an empty text if it does not arrive within the milliseconds. */
function asked(port: number, text: string, { leaves = false, wait = 10_000 } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let got = '';
    const timer = setTimeout(() => socket.destroy(), wait);
    socket.on('data', (data) => {
      got += data;
      if (got.includes('\r\n\r\n')) socket.destroy();
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        clearTimeout(timer);
        resolve(got);
      });
    socket.write(text, () => {
      if (leaves) void pause(20).then(() => socket.resetAndDestroy());
    });
  });
}

t.test('an upload that breaks off is cancelled at the upstream, and the gateway continues', async (t) => {
  const { url, codes } = await upstream(t);
  const upstreams = { api: { url, http2: true, timeout: { response: '500ms', idle: '500ms' } } };
  const routes = [{ id: 'all', match: { path: '/{rest*}' }, access: 'public', limits: { body: '300KiB' } }];
  const gateway = await startProcess({ config: { upstreams, defaults: { upstream: 'api' }, routes } });
  t.teardown(() => gateway.stop());
  const good = () => asked(gateway.port, 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n');
  t.match(await good(), /^HTTP\/1\.1 200 /, 'its connection is open');
  for (const [name, { head, body, leaves }] of Object.entries(uploads))
    for (const [path, bytes] of SIZES.flatMap((size) => [['/taken', size] as const, ['/held', size] as const])) {
      const text = `POST ${path} HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${body(bytes)}`;
      await asked(gateway.port, text, { leaves: leaves === true, wait: 1_000 });
      if (!/^HTTP\/1\.1 200 /.test(await good())) {
        t.fail(`it hangs after ${name}, ${bytes} bytes, ${path}`);
        return;
      }
    }
  t.ok(await until(() => codes.length > 0));
  t.strictSame([...new Set(codes)], [8], 'each is cancelled: CANCEL is 8 (RFC 9113 §7)');
});
