import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { passwordHash } from '../authorization/running-service.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { reloadable } from '../support/reloadable.ts';
import { requestText } from '../support/request-text.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';
import { userFile } from '../support/user-files.ts';
import { openStream, openWindow, type Window } from './operators.ts';

/** Opens gateways: 15 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const line = (name: string, password: string) => `${name}:${passwordHash(password)}\n`;
const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
const authority = readFileSync(tlsFile('authority.crt'));
const alice = { authorization: formatBasic('alice', 'wonderland') };
const wrong = { authorization: formatBasic('alice', 'guess') };
const trusting = { ca: authority, servername: 'localhost' };

interface Guarded {
  readonly window: Window;
  readonly admin: string;
}

async function guarded(t: Test, admin: object = {}, more: object = {}): Promise<Guarded> {
  const users = userFile(t, line('alice', 'wonderland'));
  const block = { listen: '127.0.0.1:0', access: { basic: { users } }, ...admin };
  const { adminUrl = '' } = await gateway(t, behind('http://127.0.0.1:9', { admin: block, ...more }));
  return { window: openWindow(adminUrl, trusting), admin: adminUrl };
}

t.test('the right password opens the listener over TLS, and nothing else does', async (t) => {
  const { window, admin } = await guarded(t, { tls });
  t.match(admin, /^https:/);
  const refused = await window.ask('/routes');
  t.equal(refused.status, 401);
  t.equal(refused.headers['www-authenticate'], 'Basic realm="gateway console", charset="UTF-8"');
  t.strictSame(JSON.parse(refused.body), { error: 'login_required' });
  for (const path of ['/routes', '/why/abc', '/nothing'])
    t.equal((await window.ask(path, alice)).status, path === '/routes' ? 200 : 404, path);
  for (const authorization of [
    wrong.authorization,
    formatBasic('bob', 'wonderland'),
    'Basic !!!',
    'Bearer abc',
    alice.authorization.replace('Basic', 'Digest'),
  ])
    t.equal((await window.ask('/routes', { authorization })).status, 401, authorization);
  for (const path of ['/livez', '/readyz', '/metrics']) t.equal((await window.ask(path)).status, 200, path);
  t.equal((await window.ask('/console/login', alice)).status, 404, 'there is no login page');
});

t.test('a listener with TLS answers nothing in plain text', async (t) => {
  const { admin } = await guarded(t, { tls });
  const answer = ask(Number(new URL(admin).port), requestText({ target: '/livez' }), { deadline: 5_000 });
  t.match(await answer.catch(() => 'closed'), 'closed');
});

t.test('a trusted proxy that came without TLS gets no challenge', async (t) => {
  const { window } = await guarded(t, {}, { trusted_proxies: ['127.0.0.1'] });
  const far = { 'x-forwarded-for': '192.0.2.7' };
  t.equal((await window.ask('/routes', { ...alice, ...far })).status, 403);
  const answer = await window.ask('/routes', far);
  t.strictSame([answer.status, answer.headers['www-authenticate']], [401, undefined]);
  t.equal((await window.ask('/routes', { ...alice, ...far, 'x-forwarded-proto': 'https' })).status, 200);
  t.equal((await window.ask('/routes', alice)).status, 200, 'from this machine');
});

t.test('wrong passwords are limited, as on a route, and the right one does not pass either', async (t) => {
  const { window } = await guarded(t, { tls }, { login: { max_failures: 3, window: '15m' } });
  for (let guess = 0; guess < 3; guess++) t.equal((await window.ask('/routes', wrong)).status, 401);
  const late = await window.ask('/routes', alice);
  t.equal(late.status, 429);
  t.ok(Number(late.headers['retry-after']) > 0);
});

t.test('a page of another site cannot use the password that the browser remembers', async (t) => {
  const { window, admin } = await guarded(t, { tls });
  const post = (headers: Record<string, string>) => window.ask('/nothing', { ...alice, ...headers }, 'POST', '{}');
  t.equal((await post({ 'content-type': 'application/json' })).status, 404, 'curl');
  t.equal((await post({ 'content-type': 'application/json', origin: admin })).status, 404, 'a page of ours');
  t.equal((await post({ 'content-type': 'application/json', origin: 'https://evil.example' })).status, 403);
  t.equal((await post({ 'content-type': 'application/json', 'sec-fetch-site': 'same-site' })).status, 403);
  t.equal((await post({ 'content-type': 'application/x-www-form-urlencoded' })).status, 415, 'an old browser');
});

t.test('a changed file of users applies at the reload, and ends the streams of those who were in it', async (t) => {
  const file = userFile(t, line('alice', 'wonderland'));
  const access = { basic: { users: file } };
  const running = await reloadable(t, behind('http://127.0.0.1:9', { admin: { listen: '127.0.0.1:0', access } }));
  const { adminUrl = '' } = running;
  const window = openWindow(adminUrl);
  const stream = await openStream(t, { at: window }, adminUrl, alice);
  t.equal(stream.status, 200);
  t.match(await running.reload(), { ok: true });
  t.equal((await window.ask('/routes', alice)).status, 200, 'the same users');
  writeFileSync(file, line('bob', 'builder'));
  t.match(await running.reload(), { ok: true });
  await stream.ended;
  t.equal((await window.ask('/routes', alice)).status, 401);
  t.equal((await window.ask('/routes', { authorization: formatBasic('bob', 'builder') })).status, 200);
});

t.test('a client that leaves while its password is judged keeps no stream', async (t) => {
  const strong = passwordHash('wonderland', { memory: 32_768, passes: 8 });
  const { admin } = await guarded(t, { access: { basic: { users: userFile(t, `alice:${strong}\n`) } } });
  const headers = { ...alice, accept: 'text/event-stream' };
  const asked = get(`${admin}/api/decisions`, { agent: false, headers }).on('error', () => {});
  asked.once('finish', () => setTimeout(() => asked.destroy(), 20));
  await new Promise((resolve) => asked.once('close', resolve));
  t.equal((await openWindow(admin).ask('/routes', alice)).status, 200, 'this password is judged after the first');
  t.match((await openWindow(admin).ask('/metrics')).body, /^gatehouse_console_viewers 0$/m);
});

function serial(t: Test, port: number): Promise<string> {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', ...trusting });
  t.teardown(() => socket.destroy());
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket.getPeerCertificate().serialNumber)).once('error', reject);
  });
}

t.test('a renewed certificate is used after a reload', async (t) => {
  const files = { 'ops.crt': readFileSync(tls.cert, 'utf8'), 'ops.key': readFileSync(tls.key, 'utf8') };
  const admin = { listen: '127.0.0.1:0', tls: { cert: 'ops.crt', key: 'ops.key' } };
  const running = await reloadable(t, behind('http://127.0.0.1:9', { admin }), files);
  const port = Number(new URL(running.adminUrl ?? '').port);
  const before = await serial(t, port);
  for (const name of ['crt', 'key']) copyFileSync(tlsFile(`renewed.${name}`), join(running.directory, `ops.${name}`));
  t.match(await running.reload(), { ok: true });
  t.ok(await until(async () => (await serial(t, port)) !== before));
});
