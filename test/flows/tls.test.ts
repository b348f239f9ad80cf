import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, http2Client } from '../support/http2-client.ts';
import { open, RawClient } from '../support/raw-client.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { reloadable } from '../support/reloadable.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until, within } from '../support/until.ts';
import { assertEcho, echoes, openWebSocket } from '../support/websocket-echo.ts';
import { witness } from '../support/witness.ts';

const path = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
const pem = (name: string) => readFileSync(path(name));
const listen = (more: object = {}, cert = path('server.crt'), key = path('server.key')) => ({
  listen: { host: '127.0.0.1', port: 0, tls: { cert, key, ...more } },
});
const certificateOf = (name: string) => ({ cert: pem(`${name}.crt`), key: pem(`${name}.key`) });

/** A client that trusts the test authority; undefined if the handshake, or the next step, fails. */
async function secure(t: Test, port: number, options: ConnectionOptions = {}): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: pem('authority.crt'), ...options });
  t.teardown(() => socket.destroy());
  const client = new RawClient(socket);
  await within(
    new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('error', () => resolve())),
    20_000,
    'a handshake',
  );
  return client;
}

/** The status of one request; undefined if the connection closed without an answer. */
async function status(client: RawClient, target = '/public/a'): Promise<number | undefined> {
  client.send(requestText({ target }));
  return (await client.read())?.status;
}

t.test('requests over TLS are served like any other, and the upstream gets https', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, listen()));
  const client = await secure(t, port);
  client.send(
    requestText({ target: '/orders/7', headers: [bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }))] }),
  );
  t.equal((await client.read())?.status, 200);
  t.equal(upstream.seen[0]?.header('x-forwarded-proto'), 'https');
  t.equal(await status(client, '/orders/8'), 401, 'on the same connection');
  client.send(requestText({ method: 'POST', target: '/public/b', body: 'x'.repeat(100_000) }));
  t.equal((await client.read())?.status, 200);
  t.equal(upstream.seen.at(-1)?.bytes, 100_000);
});

t.test('a WebSocket works over TLS', async (t) => {
  const upstream = await rawUpstream(t, echoes);
  const { port } = await gateway(t, behind(upstream.url, listen()));
  const client = await secure(t, port);
  await openWebSocket(t, client);
  await assertEcho(t, client);
});

t.test('TLS older than 1.2 is refused', async (t) => {
  const { url } = await witness(t);
  const { port } = await gateway(t, behind(url, listen()));
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  t.equal(await status(await secure(t, port, old)), undefined);
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    t.equal(await status(await secure(t, port, { minVersion: version, maxVersion: version })), 200);
});

t.test('plain HTTP on the TLS port, and garbage, get a closed connection and no answer', async (t) => {
  const { url } = await witness(t);
  const { port, log } = await gateway(t, behind(url, listen()));
  for (const bytes of [requestText({ target: '/public/a' }), 'hello\r\n\r\n', Buffer.alloc(600, 0x16)]) {
    const client = await open(t, port);
    client.send(bytes);
    await client.untilClosed();
    t.equal(client.unread.includes('HTTP/'), false);
    t.equal(client.error, undefined);
  }
  t.equal(await status(await secure(t, port)), 200);
  t.strictSame(
    log.filter(({ level }) => (level as number) >= 50),
    [],
  );
});

t.test('client_auth: required accepts only clients with a certificate of client_ca', async (t) => {
  const upstream = await witness(t);
  const mutual = listen({ client_ca: path('authority.crt'), client_auth: 'required' });
  const { port } = await gateway(t, behind(upstream.url, mutual));
  t.equal(await status(await secure(t, port, certificateOf('client'))), 200);
  t.equal(await status(await secure(t, port)), undefined, 'without a certificate');
  t.equal(await status(await secure(t, port, certificateOf('other-client'))), undefined, 'of another authority');
  t.equal(await status(await secure(t, port, certificateOf('self-signed'))), undefined, 'of none');
  t.equal(upstream.seen.length, 1);
});

t.test('client_auth: optional accepts clients without a certificate, and refuses invalid certificates', async (t) => {
  const upstream = await witness(t);
  const mutual = listen({ client_ca: path('authority.crt'), client_auth: 'optional' });
  const { port } = await gateway(t, behind(upstream.url, mutual));
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const only = { minVersion: version, maxVersion: version };
    t.equal(await status(await secure(t, port, { ...only, ...certificateOf('client') })), 200);
    t.equal(await status(await secure(t, port, only)), 200, 'without a certificate');
    t.equal(await status(await secure(t, port, { ...only, ...certificateOf('other-client') })), undefined);
    t.equal(await status(await secure(t, port, { ...only, ...certificateOf('self-signed') })), undefined);
  }
  t.equal(upstream.seen.length, 4);
});

const files = ['server.crt', 'server.key'];

async function rotating(t: Test) {
  const upstream = await witness(t);
  const body = {
    ...behind(upstream.url),
    listen: { host: '127.0.0.1', port: 0, tls: { cert: 'tls.crt', key: 'tls.key' } },
  };
  const [cert, key] = files.map((name) => String(pem(name)));
  const running = await reloadable(t, body, { 'tls.crt': cert as string, 'tls.key': key as string });
  const put = (from: string, to: string) => copyFileSync(path(from), join(running.directory, to));
  return { running, put, body };
}

function serial(client: RawClient): string {
  return (client.socket as TLSSocket).getPeerCertificate().serialNumber;
}

t.test('a renewed certificate is used for new connections, and old ones continue', async (t) => {
  const { running, put } = await rotating(t);
  const before = await secure(t, running.port);
  put('renewed.crt', 'tls.crt');
  put('renewed.key', 'tls.key');
  t.match(await running.reload(), { ok: true });
  const after = await secure(t, running.port);
  t.not(serial(after), serial(before));
  t.equal(await status(after), 200);
  t.equal(await status(before), 200);
});

t.test('an invalid new certificate is an error in the log, and the old one stays in use', async (t) => {
  const { running, put } = await rotating(t);
  const first = serial(await secure(t, running.port));
  put('renewed.crt', 'tls.crt');
  t.match(await running.reload(), { ok: false, problems: [{ message: /is not the key of the certificate/ }] });
  t.ok(running.log.some(({ level, msg }) => level === 50 && /the previous certificate/.test(String(msg))));
  writeFileSync(join(running.directory, 'tls.crt'), '');
  t.match(await running.reload(), { ok: false, problems: [{ message: /has no usable certificate/ }] });
  const client = await secure(t, running.port);
  t.equal(serial(client), first);
  t.equal(await status(client), 200);
});

t.test('a certificate is renewed even while the file is rejected', async (t) => {
  const { running, put } = await rotating(t);
  const first = serial(await secure(t, running.port));
  put('renewed.crt', 'tls.crt');
  put('renewed.key', 'tls.key');
  t.match(await running.takeText('version: 1\nnonsense: true\n'), { ok: false });
  t.not(serial(await secure(t, running.port)), first);
});

t.test(
  'an authority that is removed is no longer trusted, and neither are session tickets of its clients',
  async (t) => {
    const upstream = await witness(t);
    const tls = { cert: path('server.crt'), key: path('server.key'), client_ca: 'ca.crt', client_auth: 'required' };
    const body = { ...behind(upstream.url), listen: { host: '127.0.0.1', port: 0, tls } };
    const running = await reloadable(t, body, { 'ca.crt': String(pem('authority.crt')) });
    const only = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ...certificateOf('client') } as const;
    const first = await secure(t, running.port, only);
    t.equal(await status(first), 200);
    const session = (first.socket as TLSSocket).getSession();
    copyFileSync(path('other-authority.crt'), join(running.directory, 'ca.crt'));
    t.match(await running.reload(), { ok: true });
    t.equal(await status(await secure(t, running.port, { ...only, ...(session && { session }) })), undefined);
    t.equal(await status(await secure(t, running.port, certificateOf('other-client'))), 200);
  },
);

t.test('connections that an authority let in end when it is removed, after requests in progress', async (t) => {
  const upstream = await witness(t);
  const held = Promise.withResolvers<void>();
  upstream.behave(
    (request, response) =>
      void (request.url === '/public/held' ? held.promise : Promise.resolve()).then(() => response.end('ok')),
  );
  const tls = { cert: path('server.crt'), key: path('server.key'), client_ca: 'ca.crt', client_auth: 'required' };
  const body = { ...behind(upstream.url), listen: { host: '127.0.0.1', port: 0, tls, http2: true } };
  const running = await reloadable(t, body, { 'ca.crt': String(pem('authority.crt')) });
  const [idle, busy] = [
    await secure(t, running.port, certificateOf('client')),
    await secure(t, running.port, certificateOf('client')),
  ];
  t.equal(await status(idle), 200);
  const session = await http2Client(t, running.port, certificateOf('client'));
  const goneAway = once(session, 'goaway');
  const asked = askHttp2(session, { ':path': '/public/held' });
  busy.send(requestText({ target: '/public/held' }));
  t.ok(await until(() => upstream.seen.filter(({ target }) => target === '/public/held').length === 2));

  writeFileSync(join(running.directory, 'ca.crt'), `${pem('authority.crt')}${pem('other-authority.crt')}`);
  t.match(await running.reload(), { ok: true });
  t.equal(await status(idle), 200, 'one that is added ends nothing');
  copyFileSync(path('other-authority.crt'), join(running.directory, 'ca.crt'));
  t.match(await running.reload(), { ok: true });
  await within(goneAway, 20_000, 'GOAWAY');
  t.equal(await status(idle), undefined, 'a kept connection is closed');
  held.resolve();
  t.match(await asked, { status: 200, whole: true });
  const last = await busy.read();
  t.strictSame([last?.status, last?.header('connection')], [200, 'close']);
  t.equal(await status(await secure(t, running.port, certificateOf('other-client'))), 200);
});

t.test('a handshake or a request that began with a removed authority is not served', async (t) => {
  const upstream = await witness(t);
  const tls = { cert: path('server.crt'), key: path('server.key'), client_ca: 'ca.crt', client_auth: 'required' };
  const body = { ...behind(upstream.url), listen: { host: '127.0.0.1', port: 0, tls, http2: true } };
  const running = await reloadable(t, body, { 'ca.crt': String(pem('authority.crt')) });
  const silent = await open(t, running.port);
  const half = await secure(t, running.port, certificateOf('client'));
  const unused = await secure(t, running.port, certificateOf('client'));
  half.send('GET /public/half HTTP/1.1\r\nHost: api.example.com\r\n');
  await pause(100);
  copyFileSync(path('other-authority.crt'), join(running.directory, 'ca.crt'));
  t.match(await running.reload(), { ok: true });
  const late = await secure(t, running.port, { ...certificateOf('client'), socket: silent.socket });
  t.equal(await status(late), undefined);
  half.send('\r\n');
  t.equal(await half.read(), undefined);
  t.equal(await status(unused), undefined);
  t.equal(upstream.seen.length, 0);
});

t.test('an authority file that is not readable does not let every client in (advisory 61)', async (t) => {
  const upstream = await witness(t);
  const tls = { cert: path('server.crt'), key: path('server.key'), client_ca: 'ca.crt', client_auth: 'required' };
  const body = { ...behind(upstream.url), listen: { host: '127.0.0.1', port: 0, tls } };
  await t.rejects(reloadable(t, body), /ca\.crt does not exist/);
  await t.rejects(reloadable(t, body, { 'ca.crt': '' }), /has no usable certificate/);
  const running = await reloadable(t, body, { 'ca.crt': String(pem('authority.crt')) });
  writeFileSync(join(running.directory, 'ca.crt'), '');
  t.match(await running.reload(), { ok: false });
  t.equal(await status(await secure(t, running.port, certificateOf('other-client'))), undefined);
  t.equal(await status(await secure(t, running.port, certificateOf('client'))), 200);
});
