import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { passwordHash } from '../authorization/running-service.ts';
import { behind, gateway } from '../support/gateway.ts';
import { tlsFile } from '../support/tls-file.ts';
import { userFile } from '../support/user-files.ts';
import { openWindow, SENT, type Window } from './operators.ts';

async function listener(t: Test, admin: object | string): Promise<Window> {
  const { adminUrl = '' } = await gateway(t, behind('http://127.0.0.1:9', { admin }));
  return openWindow(adminUrl.replace('0.0.0.0', '127.0.0.1'));
}

for (const admin of ['127.0.0.1:0', { listen: '127.0.0.1:0' }, { listen: '127.0.0.1:0', access: 'loopback' }])
  t.test(`everyone on this machine is an operator: ${JSON.stringify(admin)}`, async (t) => {
    const window = await listener(t, admin);
    for (const path of ['/livez', '/metrics', '/routes']) t.equal((await window.ask(path)).status, 200, path);
    t.equal((await window.ask('/why/abc')).status, 404);
    for (const path of ['/console/login', '/console/callback'])
      t.equal((await window.ask(path)).status, 404, 'nobody needs a login');
  });

t.test('without a login, other names, pages and forms still reach nothing', async (t) => {
  const window = await listener(t, { listen: '127.0.0.1:0' });
  for (const path of ['/routes', '/livez', '/console/', '/api/explain'])
    t.equal((await window.ask(path, { host: 'evil.example' })).status, 421, path);
  t.equal((await window.ask('/routes', { origin: 'https://evil.example' })).status, 403);
  t.equal((await window.ask('/routes', SENT)).status, 403);
  t.equal((await window.ask('/routes', { host: 'localhost' })).status, 200);
});

t.test('beyond loopback, without the console, the listener answers as before', async (t) => {
  const window = await listener(t, '0.0.0.0:0');
  for (const host of ['gatehouse.default.svc', '10.1.2.3:9901'])
    t.equal((await window.ask('/routes', { host })).status, 200, host);
});

t.test('beyond loopback, only its own names reach what operators use, and probes may use any name', async (t) => {
  const users = userFile(t, `alice:${passwordHash('wonderland')}\n`);
  const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
  const url = 'https://ops.example.com';
  const admin = { listen: '0.0.0.0:0', tls, url, console: true, access: { basic: { users } } };
  const { adminUrl = '' } = await gateway(t, behind('http://127.0.0.1:9', { admin }));
  const connect = { ca: readFileSync(tlsFile('authority.crt')), checkServerIdentity: () => undefined };
  const window = openWindow(adminUrl.replace('0.0.0.0', '127.0.0.1'), connect);
  const alice = { authorization: formatBasic('alice', 'wonderland') };
  for (const host of ['ops.example.com', 'OPS.example.com:443', '127.0.0.1:9901', 'localhost'])
    t.equal((await window.ask('/routes', { ...alice, host })).status, 200, host);
  for (const host of ['evil.example', 'gatehouse.default.svc', '10.1.2.3', '0.0.0.0', '127.0.0.2.nip.example']) {
    t.equal((await window.ask('/routes', { ...alice, host })).status, 421, host);
    for (const path of ['/livez', '/readyz', '/metrics']) t.equal((await window.ask(path, { host })).status, 200, path);
  }
  const json = { ...alice, 'content-type': 'application/json' };
  const post = (headers: Record<string, string>) => window.ask('/nothing', { ...json, ...headers }, 'POST', '{}');
  t.equal((await post({ origin: url })).status, 404, 'a proxy replaced Host');
  t.equal((await post({ origin: 'http://ops.example.com' })).status, 403);
});
