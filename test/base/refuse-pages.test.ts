import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { buildHealth } from '../../src/base/health.ts';
import { listen } from '../../src/base/listen.ts';
import { hostsOf } from '../../src/config/words/hosts-of.ts';
import { run } from '../authorization/running-service.ts';
import { ask } from '../support/raw-client.ts';
import { type ReloadableGateway, reloadable } from '../support/reloadable.ts';
import { requestText } from '../support/request-text.ts';

type Fields = readonly (readonly [string, string])[];

/** What a browser, a probe or a person sends, and how a listener on loopback answers. */
const onLoopback: readonly [who: string, host: string, headers: Fields, status: number][] = [
  ['curl', '127.0.0.1:9901', [], 200],
  ['curl without a port', '127.0.0.1', [], 200],
  ['kubectl port-forward to another port', 'localhost:12345', [], 200],
  ['a name with a dot behind it', 'LOCALHOST.:9901', [], 200],
  ['IPv6', '[::1]:9901', [], 200],
  ['another address of loopback', '127.8.9.1:9901', [], 200],
  ['an address that a person typed', 'localhost:9901', [['Sec-Fetch-Site', 'none']], 200],
  [
    'a page of the listener itself',
    'localhost:9901',
    [
      ['Sec-Fetch-Site', 'same-origin'],
      ['Origin', 'http://localhost:9901'],
    ],
    200,
  ],
  ['a name that was pointed here', 'rebind.attacker.example', [], 421],
  ['the same with the port', 'rebind.attacker.example:9901', [['Sec-Fetch-Site', 'same-origin']], 421],
  ['a name that begins like ours', 'localhost.attacker.example:9901', [], 421],
  ['a name that ends like ours', 'attackerlocalhost:9901', [], 421],
  ['an address that begins like ours', '127.0.0.1.attacker.example', [], 421],
  ['an address of a network', '10.0.0.7:9901', [], 421],
  ['no host', 'localhost@attacker.example', [], 421],
  ['a script of another site', '127.0.0.1:9901', [['Origin', 'https://attacker.example']], 403],
  ['a script of a sandbox or a file', '127.0.0.1:9901', [['Origin', 'null']], 403],
  ['a page of another port', 'localhost:9901', [['Origin', 'http://localhost:3000']], 403],
  ['an origin that is none', '127.0.0.1:9901', [['Origin', 'attacker']], 403],
  ['an image in a page', '127.0.0.1:9901', [['Sec-Fetch-Site', 'cross-site']], 403],
  ['an image in a page of another port', 'localhost:9901', [['Sec-Fetch-Site', 'same-site']], 403],
];

const portOf = (url: string | undefined) => Number(new URL(url ?? '').port);

async function statusOf(port: number, target: string, host: string, headers: Fields = [], method = 'GET', body = '') {
  const { status } = await ask(port, requestText({ method, target, host, headers, ...(body && { body }) }), { method });
  return status;
}

const routes = [{ id: 'a', match: { path: '/a' }, access: 'public' }];

function gateway(t: Test): Promise<ReloadableGateway> {
  const upstreams = { app: { url: 'http://127.0.0.1:9' } };
  return reloadable(t, { health: '127.0.0.1:0', upstreams, defaults: { upstream: 'app' }, routes });
}

t.test('a listener on loopback answers only loopback names, and no page of another site', async (t) => {
  const running = await gateway(t);
  const service = await run(t);
  const listeners: [string, number, readonly string[]][] = [
    ['admin of the gateway', portOf(running.adminUrl), ['/routes', '/metrics', '/livez', '/readyz']],
    ['health of the gateway', portOf(running.healthUrl), ['/metrics', '/livez', '/readyz']],
    ['admin of the authorization service', portOf(service.admin), ['/metrics', '/livez', '/readyz']],
  ];
  for (const [name, port, targets] of listeners)
    for (const [who, host, headers, status] of onLoopback)
      for (const target of targets)
        t.equal(await statusOf(port, target, host, headers), status, `${name}, ${target}: ${who}`);
});

t.test('a page is also refused at an unknown path, a stream and a ticket', async (t) => {
  const port = portOf((await gateway(t)).adminUrl);
  for (const target of ['/', '/none', '/decisions', '/why/x']) {
    t.equal(await statusOf(port, target, 'rebind.attacker.example'), 421, target);
    t.equal(await statusOf(port, target, '127.0.0.1', [['Sec-Fetch-Site', 'cross-site']]), 403, target);
  }
});

t.test('a page cannot forge a reload, and a terminal needs one line for it', async (t) => {
  const running = await gateway(t);
  const port = portOf(running.adminUrl);
  const post = (headers: Fields, host = '127.0.0.1', body = '') =>
    statusOf(port, '/reload', host, headers, 'POST', body);
  const reloads = () => running.metric('gatehouse_config_reloads_total{result="success"}');
  const before = await reloads();
  t.equal(await post([], 'rebind.attacker.example'), 421);
  t.equal(await post([['Origin', 'https://attacker.example']]), 403);
  t.equal(await post([['Origin', 'null']]), 403);
  t.equal(
    await post([
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Mode', 'no-cors'],
    ]),
    403,
  );
  // The form types that a page may send anywhere, from a browser too old for Origin.
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'TEXT/PLAIN;charset=utf-8',
  ])
    for (const body of ['', 'a=b'])
      t.equal(await post([['Content-Type', type]], '127.0.0.1', body), 415, `${type} ${body}`);
  t.equal(await reloads(), before);
  t.equal(await post([]), 200, 'curl -X POST');
  t.equal(await post([['Content-Type', 'application/json']], '127.0.0.1', '{}'), 200, 'a script with a body');
  t.equal(await reloads(), before + 2);
});

t.test('beyond loopback a probe may use any name, and a page of another site is still refused', async (t) => {
  for (const address of ['0.0.0.0', '::', '10.0.0.7', 'gatehouse.internal']) {
    const app = buildHealth(
      {
        notReady: () => undefined,
        registry: { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: async () => '' },
      },
      hostsOf(address),
    );
    const port = await open(t, app);
    for (const host of ['10.1.2.3:9900', 'gatehouse.default.svc', '127.0.0.1', 'localhost:9900'])
      t.equal(await statusOf(port, '/readyz', host), 200, `${address}: ${host}`);
    t.equal(await statusOf(port, '/metrics', '10.1.2.3:9900', [['Origin', 'https://attacker.example']]), 403);
    t.equal(await statusOf(port, '/metrics', '10.1.2.3:9900', [['Sec-Fetch-Site', 'cross-site']]), 403);
  }
});

t.test('an HTTP/1.0 probe has no Host, and does not count as a page', async (t) => {
  const port = portOf((await gateway(t)).healthUrl);
  t.equal((await ask(port, Buffer.from('GET /livez HTTP/1.0\r\n\r\n'))).status, 200);
});

async function open(t: Test, app: FastifyInstance): Promise<number> {
  t.teardown(() => app.close());
  return portOf(await listen(app, { host: '127.0.0.1', port: 0 }));
}
