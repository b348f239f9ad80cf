import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { grpcCaller, messageOf, verdictOf } from '../support/grpc-caller.ts';
import { http2Client } from '../support/http2-client.ts';
import { frame } from '../support/http2-frames.ts';
import {
  code,
  DATA,
  END_STREAM,
  GOAWAY,
  HEADERS,
  type Http2RawClient,
  headers,
  http2Raw,
  type Lines,
  PING,
  RST_STREAM,
  SETTINGS,
} from '../support/http2-raw-client.ts';
import { reloadable } from '../support/reloadable.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until, within } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const decision = { decision: { listen: '127.0.0.1:0', grpc: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };

async function opened(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { ...decision, ...changes }));
  const port = Number(running.grpcAddress?.split(':').at(-1));
  return { ...running, ...grpcCaller(t, running.grpcAddress), raw: (plain = true) => http2Raw(t, port, { plain }) };
}

const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
const encrypted = { decision: { listen: '127.0.0.1:0', grpc: { host: '127.0.0.1', port: 0, tls } } };

const CALL: Lines = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':authority', 'gatehouse'],
  [':path', '/envoy.service.auth.v3.Authorization/Check'],
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
];

/** The first bytes of a message of this length. */
function begun(length: number, isCompressed = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = isCompressed;
  prefix.writeUInt32BE(length, 1);
  return prefix;
}

const chunks = (stream: number, count: number) =>
  Array.from({ length: count }, () => frame(DATA, 0, stream, Buffer.alloc(16_384)));

/** The gateway answers a PING after it has read all earlier frames. */
async function received(caller: Http2RawClient): Promise<void> {
  await caller.frame(SETTINGS);
  caller.send(frame(PING, 0, 0, Buffer.alloc(8)));
  await caller.frame(PING);
}

/** A call that is here at the stop, and one that the caller sends before it reads the notice. */
async function stoppedBetween(t: Test, { raw, stop }: Awaited<ReturnType<typeof opened>>, plain: boolean) {
  const caller = await raw(plain);
  const whole = messageOf({ path: '/public/1' });
  caller.send(headers(1, CALL, 0));
  await received(caller);
  const stopped = stop();
  const notice = await caller.frame(GOAWAY);
  caller.send(headers(3, CALL, 0), frame(DATA, END_STREAM, 3, whole), frame(DATA, END_STREAM, 1, whole));
  t.ok(await caller.frame(DATA, 1), 'the earlier call has its answer');
  return { caller, stopped, last: notice && code(notice) };
}

for (const [name, changes] of Object.entries({ 'in plain text': {}, 'with TLS': encrypted }))
  t.test(`${name}, the end names the last call that gets an answer, so later ones can be repeated`, async (t) => {
    const { caller, stopped, last } = await stoppedBetween(t, await opened(t, changes), changes !== encrypted);
    t.equal(last, 1);
    await stopped;
    t.ok(await caller.untilClosed());
    t.notOk(await caller.frame(DATA, 3));
  });

t.test('a connection without a call ends, and calls on another one go on', async (t) => {
  const { raw, check } = await opened(t, { limits: { headers_timeout: '200ms', idle: '1s' } });
  const caller = await raw();
  t.ok(await caller.untilClosed());
  t.equal(verdictOf(await check({ path: '/public/1' })), '200');
});

t.test('a call that does not arrive whole ends, and so a stop does not wait for it', async (t) => {
  const { raw, stop } = await opened(t, { limits: { headers_timeout: '200ms' } });
  const caller = await raw();
  caller.send(headers(1, CALL, 0), frame(DATA, 0, 1, begun(100)));
  caller.send(headers(3, CALL, 0), frame(DATA, 0, 3, messageOf({ path: '/public/1' })));
  await received(caller);
  await stop();
  for (const stream of [1, 3]) t.ok(await caller.frame(RST_STREAM, stream), `${stream}`);
});

t.test("a stranger's connection has at most a hundred calls at a time", async (t) => {
  const { raw } = await opened(t, { trusted_proxies: ['10.0.0.0/8'] });
  const caller = await raw();
  await caller.frame(SETTINGS);
  for (let call = 0; call < 100; call++) caller.send(headers(1 + 2 * call, CALL, 0));
  caller.send(frame(PING, 0, 0, Buffer.alloc(8)));
  t.ok(await caller.frame(PING));
  t.notOk(caller.frames.some(({ type }) => type === GOAWAY || type === RST_STREAM));
  caller.send(headers(201, CALL, 0));
  t.ok(await caller.frame(GOAWAY));
});

t.test('strangers together hold little memory, and an ordinary call still gets its refusal', async (t) => {
  const { raw } = await opened(t, { trusted_proxies: ['10.0.0.0/8'] });
  const caller = await raw();
  await caller.frame(SETTINGS);
  for (let call = 0; call < 20; call++)
    caller.send(
      headers(1 + 2 * call, CALL, 0),
      frame(DATA, 0, 1 + 2 * call, begun(4_000_000)),
      ...chunks(1 + 2 * call, 7),
    );
  t.ok(await until(() => caller.frames.some(({ type }) => type === RST_STREAM)));
  caller.send(...Array.from({ length: 20 }, (_, call) => frame(RST_STREAM, 0, 1 + 2 * call, Buffer.alloc(4))));
  caller.send(headers(201, CALL, 0), frame(DATA, END_STREAM, 201, messageOf({ path: '/public/1' })));
  const answer = await caller.frame(DATA, 201);
  t.match(String(answer?.payload), 'caller_untrusted');
});

t.test('connections that an authority let in end when it is removed', async (t) => {
  const upstream = await witness(t);
  const grpc = { host: '127.0.0.1', port: 0, tls: { ...tls, client_ca: 'ca.crt', client_auth: 'required' } };
  const body = behind(upstream.url, { ...decision, decision: { listen: '127.0.0.1:0', grpc } });
  const running = await reloadable(t, body, { 'ca.crt': readFileSync(tlsFile('authority.crt'), 'utf8') });
  const port = Number(running.grpcAddress?.split(':').at(-1));
  const [cert, key] = ['client.crt', 'client.key'].map((name) => readFileSync(tlsFile(name)));
  const session = await http2Client(t, port, { cert, key });
  const ended = new Promise((resolve) => session.once('close', () => resolve(true)));
  copyFileSync(tlsFile('other-authority.crt'), join(running.directory, 'ca.crt'));
  t.match(await running.reload(), { ok: true });
  t.equal(await within(ended, 20_000, 'the end'), true);
});

t.test('a compressed message is not read, because a small one can need much memory', async (t) => {
  const { raw } = await opened(t);
  const caller = await raw();
  const bomb = gzipSync(Buffer.alloc(4_000_000));
  caller.send(
    headers(1, [...CALL, ['grpc-encoding', 'gzip']], 0),
    frame(DATA, END_STREAM, 1, Buffer.concat([begun(bomb.length, 1), bomb])),
  );
  const told = await caller.frame(HEADERS, 1);
  t.match(String(told?.payload), '12');
});

t.test('a proxy may cancel many calls, because its clients may leave', async (t) => {
  const { raw } = await opened(t);
  const caller = await raw();
  await caller.frame(SETTINGS);
  const told = () => caller.frames.filter(({ type }) => type === PING).length;
  for (let call = 0; call < 2_000; call++) {
    caller.send(headers(1 + 2 * call, CALL, 0), frame(RST_STREAM, 0, 1 + 2 * call, Buffer.from([0, 0, 0, 8])));
    if (call % 50 !== 0) continue;
    const before = told();
    caller.send(frame(PING, 0, 0, Buffer.alloc(8)));
    if (!(await until(() => caller.closed || told() > before))) break;
  }
  caller.send(headers(4_001, CALL, 0), frame(DATA, END_STREAM, 4_001, messageOf({ path: '/public/1' })));
  t.ok(await caller.frame(DATA, 4_001));
  t.notOk(caller.frames.some(({ type }) => type === GOAWAY));
});
