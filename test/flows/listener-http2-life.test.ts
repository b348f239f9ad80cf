import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { answerOf, askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { frame } from '../support/http2-frames.ts';
import { DATA, GET, GOAWAY, headers, http2Raw, SETTINGS, WINDOW_UPDATE } from '../support/http2-raw-client.ts';
import { reloadable } from '../support/reloadable.ts';
import { collectSpans } from '../support/spans.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';
import { served } from './http2-served.ts';

/** HTTP/2 connections from their first byte to their last: reload, stop, workers, and clients by other authors. */

/** Starts programs: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const head = { ':path': '/a', ':authority': 'api.example.com' };
const onA = GET.map((line) => (line[0] === ':path' ? ([':path', '/a'] as const) : line));

for (const [kind, more] of [
  ['one process', ''],
  ['a worker', 'workers: 2\n'],
] as const) {
  t.test(`SIGTERM is GOAWAY: streams in flight end normally, and no others begin (${kind})`, async (t) => {
    const upstream = await witness(t);
    const held: (() => void)[] = [];
    upstream.behave((_request, response) => void held.push(() => response.end('done')));
    const gate = await served(t, upstream.url, more);
    const idle = await http2Client(t, gate.port);
    const quiet = await http2Raw(t, gate.port);
    const busy = await http2Client(t, gate.port);
    const answers = Array.from({ length: 10 }, () => answerOf(busy.request(head)));
    t.ok(await until(() => held.length === 10));
    let told: number | undefined;
    busy.on('goaway', (error) => {
      told = error;
    });
    const start = performance.now();
    gate.process.kill('SIGTERM');
    t.ok(await until(() => told !== undefined && idle.destroyed), 'told while they are in flight');
    t.equal(told, 0);
    t.ok(busy.closed, 'a client opens no more streams');
    t.ok(await quiet.frame(GOAWAY));
    for (const answer of held) answer();
    for (const answer of await Promise.all(answers)) t.match(answer, { status: 200, whole: true, reset: 0 });
    t.match(await gate.ended(), { status: 0 });
    t.ok(performance.now() - start < 25_000, `${Math.round(performance.now() - start)} ms`);
    t.equal(upstream.seen.length, 10);
  });
}

t.test('SIGTERM waits no longer than idle for a client that has stopped reading', async (t) => {
  const upstream = await witness(t);
  upstream.behave((_request, response) => void response.end(Buffer.alloc(48 * 2 ** 20)));
  const gate = await served(t, upstream.url, 'limits: { idle: 2s }\n');
  const client = await http2Raw(t, gate.port);
  client.send(frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])));
  client.send(frame(WINDOW_UPDATE, 0, 0, Buffer.from([0x7f, 0xff, 0, 0])), headers(1, onA));
  t.ok(await client.frame(DATA, 1));
  client.socket.pause();
  await pause(500);
  const start = performance.now();
  gate.process.kill('SIGTERM');
  t.match(await gate.ended(), { status: 0 });
  t.ok(performance.now() - start < 20_000, `${Math.round(performance.now() - start)} ms`);
});

t.test('workers serve HTTP/2 connections, each connection by one worker', async (t) => {
  const upstream = await witness(t);
  const gate = await served(t, upstream.url, 'workers: 2\n');
  const sessions = await Promise.all(Array.from({ length: 4 }, () => http2Client(t, gate.port)));
  const ask = async (session: ClientHttp2Session) =>
    (await askHttp2(session, { ':path': '/a' })).header('x-request-id');
  const prefixes = new Set<string | undefined>();
  for (const session of sessions) {
    const ids = await Promise.all(Array.from({ length: 5 }, () => ask(session)));
    const mine = new Set(ids.map((id) => id?.split('-').slice(0, -1).join('-')));
    t.equal(mine.size, 1);
    prefixes.add([...mine][0]);
  }
  t.equal(prefixes.size, 2);
});

t.test('a renewed certificate is used for new connections, and streams on old ones continue', async (t) => {
  const upstream = await witness(t);
  const [cert, key] = ['server.crt', 'server.key'].map((name) => readFileSync(tlsFile(name), 'utf8'));
  const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'tls.crt', key: 'tls.key' }, http2: true };
  const files = { 'tls.crt': cert as string, 'tls.key': key as string };
  const running = await reloadable(t, { ...behind(upstream.url), listen }, files);
  const serial = (session: ClientHttp2Session) => (session.socket as TLSSocket).getPeerCertificate().serialNumber;
  const before = await http2Client(t, running.port);
  copyFileSync(tlsFile('renewed.crt'), join(running.directory, 'tls.crt'));
  copyFileSync(tlsFile('renewed.key'), join(running.directory, 'tls.key'));
  t.match(await running.reload(), { ok: true });
  const after = await http2Client(t, running.port);
  t.not(serial(after), serial(before));
  for (const session of [before, after]) t.equal((await askHttp2(session, { ':path': '/public/a' })).status, 200);
});

t.test('new limits apply to the next stream of an open connection', async (t) => {
  const upstream = await witness(t);
  const running = await reloadable(t, { ...behind(upstream.url), ...http2Listen() });
  const session = await http2Client(t, running.port);
  const ask = async () => (await askHttp2(session, { ':path': '/public/a', 'x-big': 'x'.repeat(5000) })).status;
  t.equal(await ask(), 200);
  t.match(await running.take({ ...behind(upstream.url), ...http2Listen(), limits: { header_size: '4KiB' } }), {
    ok: true,
  });
  t.equal(await ask(), 431);
});

t.test('limits.connections counts connections of each protocol', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, { ...behind(upstream.url, http2Listen()), limits: { connections: 1 } });
  const first = await http2Client(t, port);
  const second = await http2Client(t, port);
  t.ok(await until(() => second.destroyed));
  t.equal((await askHttp2(first, { ':path': '/public/a' })).status, 200);
});

t.test("traces and Via name the client's protocol", async (t) => {
  const spans = collectSpans(t);
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, http2Listen()));
  await askHttp2(await http2Client(t, port), { ':path': '/public/a' });
  const [server] = (await spans.of()).filter(({ kind }) => kind === 'server');
  t.match(server?.attributes, { 'network.protocol.version': '2', 'url.scheme': 'https' });
  t.equal(upstream.seen[0]?.header('via'), '2.0 gatehouse');
  t.equal(upstream.seen[0]?.header('x-forwarded-proto'), 'https');
});

const run = promisify(execFile);
const curlSpeaks = await run('curl', ['--version']).then(
  ({ stdout }) => stdout.includes('HTTP2'),
  () => false,
);

t.test('curl works over HTTP/2: bodies both ways, Expect, Digest', { skip: !curlSpeaks && 'curl' }, async (t) => {
  const upstream = await witness(t);
  const digest = { realm: 'meters', users: userFile(t, digestLines('meter', 'meters', 'secret')) };
  const routes = [
    { match: { path: '/public/{rest*}' }, access: 'public' },
    { match: { path: '/meters' }, auth: 'digest', access: 'authenticated', digest },
  ];
  const { port } = await gateway(t, behind(upstream.url, { ...http2Listen(), routes }));
  const curl = async (path: string, ...more: string[]) => {
    const url = `https://localhost:${port}${path}`;
    const told = ['-s', '-S', '--http2', '--cacert', tlsFile('authority.crt'), '-w', '\n%{http_version} %{http_code}'];
    const { stdout } = await run('curl', [...told, '--resolve', `localhost:${port}:127.0.0.1`, ...more, url]);
    return stdout.split('\n').at(-1);
  };
  t.equal(await curl('/public/a'), '2 200');
  t.equal(await curl('/public/a', '-I'), '2 200');
  upstream.behave({ body: Buffer.alloc(5_000_000) });
  t.equal(await curl('/public/a', '-o', '/dev/null'), '2 200');
  upstream.behave({});
  t.equal(await curl('/public/a', '--data-binary', `@${process.execPath}`), '2 200');
  t.equal(upstream.seen.at(-1)?.bytes, readFileSync(process.execPath).length);
  t.equal(await curl('/public/a', '-H', 'Expect: 100-continue', '-d', 'body'), '2 200');
  t.equal(await curl('/meters', '--digest', '-u', 'meter:secret'), '2 200');
  t.equal(await curl('/meters', '--digest', '-u', 'meter:secret', '-d', 'a=b'), '2 200');
  t.equal(await curl('/meters', '--digest', '-u', 'meter:wrong'), '2 401');
  t.equal(await curl('/public/a', '--http1.1'), '1.1 200');
});
