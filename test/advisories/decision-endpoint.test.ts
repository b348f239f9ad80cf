import t, { type Test } from 'tap';
import { asks, problemOf, type Received, shapes, statusOf } from '../support/asking.ts';
import { behind, gateway } from '../support/gateway.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const routes = [
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
  { id: 'slashes', match: { path: '/keep/{rest*}' }, access: 'public', encoded_slashes: 'keep' },
  { id: 'here', match: { host: 'admin.example', path: '/{rest*}' }, scope: 'admin' },
  {
    id: 'limited',
    match: { path: '/limited' },
    access: 'public',
    rate_limit: { by: 'address', requests: 1, per: '1h' },
  },
];

async function endpoint(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
  const running = await gateway(t, behind(upstream.url, { ...decision, routes, ...changes }));
  return (bytes: Buffer) => asks(running, bytes);
}

const read = async () => bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));

for (const [name, shape] of Object.entries(shapes)) {
  const statuses = async (t: Test, received: readonly Received[], changes?: object) => {
    const ask = await endpoint(t, changes);
    const found: number[] = [];
    for (const each of received) found.push(statusOf(await ask(shape(each))));
    return found;
  };
  const each = (targets: readonly string[]) => targets.map((target) => ({ target }));

  t.test(
    `advisory 1, 8, 40, 55: ${name}: no spelling of a dot segment or of two slashes reaches another rule`,
    async (t) => {
      const targets = [
        '/public/../orders/1',
        '/public/%2e%2e/orders/1',
        '/public/..;/orders',
        '//public/a',
        '/public//a',
      ];
      const kept = ['/keep/..%2forders', '/keep/..%2Forders', '/keep/%2e%2e%2forders', '/keep/a%5c..%5corders'];
      for (const status of await statuses(t, each([...targets, ...kept]))) t.equal(status, 400);
    },
  );

  t.test(`advisory 3, 13: ${name}: the entries that a client writes into X-Forwarded-For do not count`, async (t) => {
    const target = '/limited';
    const chains = ['6.6.6.6, 192.0.2.1', '7.7.7.7, 192.0.2.1', 'unknown, 192.0.2.1'];
    t.strictSame(
      await statuses(
        t,
        chains.map((address) => ({ target, address })),
      ),
      [200, 429, 429],
    );
  });

  t.test(`advisory 9, 10: ${name}: the case of hex digits and hosts makes no difference`, async (t) => {
    const hosts = ['admin.example', 'ADMIN.example', 'admin.example.', 'Admin.Example:8443'];
    t.strictSame(
      await statuses(
        t,
        hosts.map((host) => ({ host, target: '/public/a' })),
      ),
      [401, 401, 401, 401],
    );
    t.strictSame(
      await statuses(t, each(['/public/a%2fb', '/public/a%2Fb', '/keep/a%2fb', '/keep/a%2Fb'])),
      [400, 400, 200, 200],
    );
  });

  t.test(`advisory 11, 16, 17, 36: ${name}: neither a query nor a fragment is part of the path`, async (t) => {
    const targets = [
      '/orders/1?/public/a',
      '/orders/1%3f/public/a',
      '/?/public/a',
      '/public/a#/orders',
      '/orders%23/public/a',
    ];
    t.strictSame(await statuses(t, each(targets)), [401, 401, 404, 400, 400]);
  });

  t.test(`advisory 14: ${name}: no header of another kind of proxy replaces the target or the method`, async (t) => {
    const ask = await endpoint(t);
    const forged = [
      ['X-Original-URL', 'https://api.example.com/public/a'],
      ['X-Original-URI', '/public/a'],
      ['X-Original-Method', 'OPTIONS'],
      ['X-Forwarded-Uri', '/public/a'],
      ['X-Forwarded-Method', 'OPTIONS'],
      ['X-Forwarded-Host', 'api.example.com'],
      ['X-Rewrite-URL', '/public/a'],
      ['X-Envoy-Original-Path', '/public/a'],
    ] as const;
    for (const header of forged) {
      // A header that this kind of proxy itself uses then occurs twice, and the request is rejected.
      t.ok([401, 500].includes(statusOf(await ask(shape({ headers: [header] })))), header[0]);
    }
  });

  t.test(`advisory 15: ${name}: no User-Agent opens a route, and no path counts as a health check`, async (t) => {
    const headers = [['User-Agent', 'kube-probe/1.30'] as const];
    t.strictSame(
      await statuses(t, [{ headers }, { target: '/livez', headers }, { target: '/ping', headers }]),
      [401, 404, 404],
    );
  });

  t.test(
    `advisory 18, 24, 26, 52, 60: ${name}: the answer lists every spelling of an identity header for removal`,
    async (t) => {
      const ask = await endpoint(t);
      for (const spelled of ['X-Auth-Subject', 'x_auth_subject', 'X-AUTH_Scope', 'X_Auth-Else', 'x-auth-']) {
        for (const received of [{ target: '/public/a' }, { headers: [await read()] }]) {
          const headers = [...(received.headers ?? []), [spelled, 'mallory'] as const];
          const response = await ask(shape({ ...received, headers }));
          t.equal(response.status, 200);
          t.ok(response.header('x-gatehouse-clear')?.split(', ').includes(spelled.toLowerCase()), spelled);
          t.notMatch(JSON.stringify(response.headers), 'mallory');
        }
      }
    },
  );

  t.test(`advisory 31: ${name}: the log contains no token`, async (t) => {
    const upstream = await witness(t);
    const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
    const running = await gateway(t, behind(upstream.url, { ...decision, routes }));
    const header = await read();
    for (const received of [
      { headers: [header] },
      { target: `/orders/1?access_token=${header[1].slice(7)}` },
      { headers: [header, header] },
    ])
      await asks(running, shape(received));
    t.notMatch(JSON.stringify(running.log), header[1].slice(7, 40));
  });

  t.test(`advisory 56, 57: ${name}: a request with two credentials is rejected before either is checked`, async (t) => {
    const header = await read();
    t.strictSame(await statuses(t, [{ headers: [header, header] }, { headers: [header, bearer('x')] }]), [400, 400]);
  });

  t.test(`advisory 59: ${name}: a target is not a URL: //host/path is a path with an empty segment`, async (t) => {
    const targets = ['//public/a', '//admin.example/public/a', '///public/a'];
    t.strictSame(await statuses(t, each(targets)), [400, 400, 400]);
  });

  t.test(
    `T28: ${name}: the answer removes the token from the forwarded request, and does not contain it`,
    async (t) => {
      const ask = await endpoint(t);
      const header = await read();
      const response = await ask(shape({ headers: [header] }));
      t.match(response.header('x-gatehouse-clear'), /(?:^|, )authorization(?:,|$)/);
      t.notMatch(JSON.stringify(response.headers), header[1]);
    },
  );

  t.test(`T34, T35: ${name}: a token that is bound to a key is rejected as a bearer token`, async (t) => {
    const ask = await endpoint(t);
    for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }]) {
      const bound = bearer(await jwt({ scope: 'orders.read', cnf }, { alg: 'HS256' }));
      const response = await ask(shape({ headers: [bound] }));
      t.strictSame([statusOf(response), problemOf(response).code], [401, 'token_bound']);
    }
  });

  t.test(`T39: ${name}: a peer that is not a trusted proxy may not ask`, async (t) => {
    const received = [{ target: '/public/a' }, { target: '/public/a', address: '10.0.0.1' }];
    t.strictSame(await statuses(t, received, { trusted_proxies: ['10.0.0.0/8'] }), [403, 403]);
  });
}

t.test('advisory 43: a request in no known form gets 500, whatever Host and headers contain', async (t) => {
  const ask = await endpoint(t);
  for (const target of ['/', '/public/a', '/nginx/../forward-auth', '/NGINX', '/forward-auth/', '//envoy/public/a'])
    t.equal((await ask(requestText({ target, headers: [['X-Forwarded-Uri', '/public/a']] }))).status, 500, target);
});
