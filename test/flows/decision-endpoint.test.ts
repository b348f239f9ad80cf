import t, { type Test } from 'tap';
import {
  asEnvoy,
  asks,
  asNginx,
  asNginxUri,
  asTraefik,
  problemOf,
  type Received,
  shapes,
  statusOf,
} from '../support/asking.ts';
import { behind, gateway, routes } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };

async function opened(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { ...decision, ...changes }));
  return { ...running, upstream, asks: (bytes: Buffer, method?: string) => asks(running, bytes, method) };
}

const token = (scope = 'orders.read', more: object = {}) => jwt({ scope, ...more }, { alg: 'HS256' });
const own = {
  routes: [...routes, { id: 'hosted', match: { host: 'other.example', path: '/orders/{rest*}' }, scope: 'admin' }],
};

for (const [name, shape] of Object.entries(shapes)) {
  t.test(
    `${name}: an accepted request gets a 200 with the identity, the headers to remove, and the target to forward`,
    async (t) => {
      const { asks, upstream } = await opened(t);
      const response = await asks(shape({ target: '/orders/%7e1?a=b', headers: [bearer(await token())] }));
      t.equal(response.status, 200);
      t.equal(response.header('x-auth-subject'), 'alice');
      t.equal(response.header('x-auth-client'), 'shop');
      t.equal(response.header('x-auth-scope'), 'orders.read');
      t.equal(response.header('x-gatehouse-target'), '/orders/~1?a=b');
      t.equal(response.header('x-gatehouse-clear'), 'x-auth-subject, x-auth-client, x-auth-scope, authorization');
      t.equal(response.header('content-length'), '0');
      t.ok(response.header('x-request-id'));
      t.equal(response.header('authorization'), undefined, 'the token stays here');
      t.equal(upstream.seen.length, 0, 'nothing is forwarded');
    },
  );

  t.test(`${name}: method, host and target decide as at the gateway's own listener`, async (t) => {
    const { asks, port } = await opened(t, own);
    const read = bearer(await token());
    const admin = bearer(await token('admin'));
    const cases: readonly Received[] = [
      { target: '/public/a' },
      { target: '/orders/1' },
      { target: '/orders/1', headers: [read] },
      { target: '/admin/1', headers: [read] },
      { target: '/admin/1', headers: [admin] },
      { target: '/orders/1', host: 'other.example', headers: [read] },
      { target: '/orders/1', host: 'OTHER.example.:443', headers: [admin] },
      { target: '/nowhere' },
      { target: '/public/../admin/1' },
      { target: '/public/%2e%2e/admin/1' },
      { target: '//public/a' },
      { target: '/public/..%2fadmin' },
      { target: '/public/a%2fb' },
      { target: '/public/a;b' },
      { target: '/public/%252e' },
      { target: '/public\\a' },
      { target: '/public/a#b' },
      { target: '/public/%' },
      { target: '/orders/1?access_token=x', headers: [read] },
      { target: '/orders/1', headers: [read, read] },
      { target: '/orders/1', headers: [['Authorization', 'Bearer a b']] },
      { target: '/orders/1', headers: [['Authorization', 'Bearer abc']] },
      { target: '/public/a', method: 'TRACE' },
      { target: '/public/a', host: 'a b' },
      { target: '/public/a', host: 'user@api.example.com' },
    ];
    for (const received of cases) {
      const [told, direct] = [await asks(shape(received)), await ask(port, requestText(received))];
      t.equal(statusOf(told), direct.status, JSON.stringify(received));
      if (direct.status === 200) continue;
      t.equal(problemOf(told).code, problemOf(direct).code, JSON.stringify(received));
      const challenge = told.header('x-gatehouse-challenge') ?? told.header('www-authenticate');
      t.equal(challenge, direct.header('www-authenticate'), JSON.stringify(received));
    }
  });

  t.test(`${name}: a peer that is not a trusted proxy is refused with 403, whatever it sends`, async (t) => {
    const { asks, log } = await opened(t, { trusted_proxies: ['10.0.0.0/8'] });
    const response = await asks(shape({ target: '/public/a', address: '10.0.0.1', headers: [bearer(await token())] }));
    t.equal(response.status, 403);
    t.equal(problemOf(response).code, 'caller_untrusted');
    t.notMatch(JSON.stringify(problemOf(response)), 'trusted_proxies');
    const told = log.find(({ code }) => code === 'caller_untrusted');
    t.match(
      told,
      { level: 40, reason: /^127\.0\.0\.1 is not in trusted_proxies: add it there/ },
      'at warn, for whoever runs it',
    );
  });

  t.test(
    `${name}: in shadow mode everything passes, also the credential, and would-be refusals are recorded`,
    async (t) => {
      const { asks, log } = await opened(t, { mode: 'shadow' });
      for (const received of [{ target: '/orders/1' }, { target: '/orders/../x' }, { target: '/nowhere' }]) {
        const response = await asks(shape(received));
        t.equal(response.status, 200);
        t.notMatch(response.header('x-gatehouse-clear'), /authorization/);
        t.match(response.header('cache-control'), 'no-store');
      }
      t.strictSame(
        log.flatMap(({ shadow }) => (shadow === undefined ? [] : [shadow])),
        ['credential_missing', 'target_dot_segment', 'route_not_found'],
      );
    },
  );

  t.test(
    `${name}: limits count as at the gateway's own listener, by client and by the address from the proxy`,
    async (t) => {
      const limited = (id: string, by: string) => ({
        id,
        match: { path: `/${id}` },
        ...(by === 'address' ? { access: 'public' } : { scope: 'orders.read' }),
        rate_limit: { by, requests: 1, per: '1m' },
      });
      const { asks } = await opened(t, { routes: [limited('client', 'client_id'), limited('address', 'address')] });
      const headers = [bearer(await token())];
      const said = async (received: Received) => {
        const response = await asks(shape(received));
        if (response.status === 200) t.equal(response.header('cache-control'), 'no-store', 'each is counted');
        return statusOf(response);
      };
      t.strictSame(
        [await said({ target: '/client', headers }), await said({ target: '/client', headers })],
        [200, 429],
      );
      const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.1'];
      const statuses: number[] = [];
      for (const address of addresses) statuses.push(await said({ target: '/address', address }));
      t.strictSame(statuses, [200, 200, 429]);
      const late = await asks(shape({ target: '/client', headers }));
      t.ok(Number(late.header('retry-after')) > 0);
    },
  );
}

t.test(
  'at /nginx a refusal is 401 or 403, with the status, all challenges in one line and the problem in headers',
  async (t) => {
    const { asks } = await opened(t, { resource: 'https://api.example.com' });
    const missing = await asks(asNginx({}));
    t.equal(missing.status, 401);
    t.match(missing.all('www-authenticate'), [/^Bearer realm="api", scope="orders.read", resource_metadata=/]);
    t.equal(missing.header('x-gatehouse-challenge'), missing.header('www-authenticate'));
    const other = await asks(asNginx({ target: '/nowhere' }));
    t.equal(other.status, 403);
    t.equal(other.header('x-gatehouse-status'), '404');
    t.match(problemOf(other), { code: 'route_not_found', status: 404, ticket: String, request_id: 'f00dfeed' });
    t.equal(other.header('www-authenticate'), undefined);
    t.equal(other.header('x-accel-expires'), '0');
    const scope = await asks(asNginx({ target: '/admin/1', headers: [bearer(await token())] }));
    t.equal(scope.status, 403);
    t.equal(scope.header('x-gatehouse-status'), '403');
    t.match(scope.header('x-gatehouse-challenge'), /^Bearer .*error="insufficient_scope"/);
  },
);

t.test('at /nginx the log line has the status that nginx got, and the code of the real answer', async (t) => {
  const down = { introspection_endpoint: 'http://127.0.0.1:9/', client_id: 'gateway', client_secret: 'x'.repeat(32) };
  const { asks, log } = await opened(t, {
    cors: { origins: ['https://app.example.com'] },
    authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'any', events: 'none', ...down } },
  });
  const headers = [
    ['Origin', 'https://app.example.com'],
    ['Access-Control-Request-Method', 'GET'],
  ] as const;
  const real: readonly (readonly [Received, string])[] = [
    [{ target: '/nowhere' }, '404 route_not_found'],
    [{ target: '/orders/1', headers: [bearer('opaque')] }, '503 authorization_server_unavailable'],
    [{ target: '/orders/1', method: 'OPTIONS', headers }, '204 answered'],
  ];
  for (const [request, answer] of real) {
    const [status, code] = answer.split(' ');
    const told = await asks(asNginx(request));
    t.equal(told.header('x-gatehouse-status'), status);
    t.ok(await until(() => log.some((line) => line.code === code)));
    t.match(
      log.find((line) => line.code === code),
      { via: 'nginx', status: 403 },
    );
  }
});

t.test('at /nginx X-Accel-Expires precedes Cache-Control, which is private', async (t) => {
  const { asks } = await opened(t, { decision: { listen: '127.0.0.1:0', max_age: '3s' } });
  const expires = async (more: object) => {
    const { headers } = await asks(asNginx({ headers: [bearer(await token('orders.read', more))] }));
    const names = headers.map(([name]) => name.toLowerCase());
    t.ok(names.indexOf('x-accel-expires') < names.indexOf('cache-control'));
    return headers.flatMap(([name, value]) => (/^(x-accel-expires|cache-control|vary)$/.test(name) ? [value] : []));
  };
  const now = Math.floor(Date.now() / 1000);
  t.strictSame(await expires({}), ['3', 'private, max-age=3', 'authorization, origin']);
  const [short] = await expires({ exp: now + 2 });
  t.ok(Number(short) <= 2, 'never longer than the token');
  t.strictSame(
    await expires({ exp: now - 5 }),
    ['0', 'no-store', 'authorization, origin'],
    'within the clock skew: not at all',
  );
});

t.test(
  "at /nginx?now= an answer expires by nginx's clock, with a second for requests that arrive while one asks",
  async (t) => {
    const kept = async (max_age: string, now: string, more: object = {}) => {
      const { asks } = await opened(t, { decision: { listen: '127.0.0.1:0', max_age } });
      const asked = asNginx({ headers: [bearer(await token('orders.read', more))] }).toString('latin1');
      const { headers } = await asks(Buffer.from(asked.replace('/nginx ', `/nginx?now=${now} `), 'latin1'));
      return headers.flatMap(([name, value]) => (/^(x-accel-expires|cache-control)$/i.test(name) ? [value] : []));
    };
    const whileOneAsks = 'max-age=1, stale-while-revalidate=1, stale-if-error=0';
    t.strictSame(await kept('1s', '1700000000.000'), [whileOneAsks, '@1700000000']);
    t.strictSame(await kept('1s', '1700000000.390'), [whileOneAsks, '@1700000000']);
    t.strictSame(
      await kept('1s', '1700000000.410'),
      ['@1700000001', 'private, max-age=1'],
      'no time to be seen by who waits',
    );
    t.strictSame(await kept('5s', '1700000000.990'), [whileOneAsks, '@1700000004']);
    t.strictSame(await kept('0s', '1700000000.000'), ['0', 'no-store']);
    t.strictSame(await kept('5s', '1700000000.000', { exp: Math.floor(Date.now() / 1000) - 5 }), ['0', 'no-store']);
    for (const unread of ['', '17', '1e9', '1700000000.', '-1700000000', '1700000000&now=9900000000', '99999999999999'])
      t.strictSame(await kept('5s', unread), ['5', 'private, max-age=5'], `now=${unread} says nothing`);
  },
);

t.test('max_age: 0s caches nothing', async (t) => {
  const { asks } = await opened(t, { decision: { listen: '127.0.0.1:0', max_age: '0s' } });
  const response = await asks(asNginx({ headers: [bearer(await token())] }));
  t.equal(response.header('x-accel-expires'), '0');
  t.equal(response.header('cache-control'), 'no-store');
});

t.test(
  'Vary lists the headers that the rules of all routes read; without a complete list nothing is cached',
  async (t) => {
    const route = (more: object) => ({
      routes: [...routes, { id: 'env', match: { path: '/env' }, access: 'authenticated', ...more }],
    });
    const varies = async (changes: object) => {
      const { asks } = await opened(t, changes);
      return (await asks(asNginx({ target: '/public/a' }))).header('vary');
    };
    t.equal(
      await varies(route({ match: { path: '/env', headers: { 'X-Env': 'a' } } })),
      'authorization, origin, x-env',
    );
    t.equal(await varies(route({ when: 'request.headers["x-env"] == "a"' })), 'authorization, origin, x-env');
    t.equal(await varies(route({ when: 'request.headers[identity.subject] == "a"' })), '*');
  },
);

t.test('at /forward-auth and /envoy refusals are unchanged, with a line for each challenge', async (t) => {
  const users = userFile(t, '');
  const basic = {
    id: 'both',
    match: { path: '/both' },
    auth: { any_of: ['bearer', 'basic'] },
    basic: { realm: 'r', users },
    access: 'authenticated',
  };
  const { asks } = await opened(t, { routes: [...routes, basic] });
  for (const shape of [asTraefik, asEnvoy]) {
    const missing = await asks(shape({ target: '/both' }));
    t.equal(missing.status, 401);
    t.match(missing.all('www-authenticate'), [/^Bearer /, /^Basic /]);
    t.equal(missing.header('content-type'), 'application/problem+json');
    t.equal((await asks(shape({ target: '/nowhere' }))).status, 404);
    const plain = await asks(shape({ target: '/both', scheme: 'http' }));
    t.strictSame(plain.all('www-authenticate').length, 1, 'no Basic over a wire that is not secure');
  }
  const joined = await asks(asNginx({ target: '/both' }));
  t.match(joined.all('www-authenticate'), [/^Bearer .*, Basic realm="r"/]);
});

t.test('each proxy learns in its own form what to keep of the credential', async (t) => {
  const forwarding = { id: 'on', match: { path: '/on' }, scope: 'orders.read', forward_credential: true };
  const { asks } = await opened(t, { routes: [...routes, forwarding] });
  const credential = bearer(await token());
  for (const target of ['/on', '/public/a']) {
    t.equal((await asks(asTraefik({ target, headers: [credential] }))).header('authorization'), credential[1], target);
    for (const shape of [asNginx, asTraefik, asEnvoy]) {
      t.notMatch((await asks(shape({ target, headers: [credential] }))).header('x-gatehouse-clear'), /authorization/);
    }
  }
  const removed = (
    await asks(asEnvoy({ headers: [credential, ['x-auth-else', 'mallory'], ['X_Auth_Subject', 'mallory']] }))
  ).header('x-envoy-auth-headers-to-remove');
  t.strictSame(removed?.split(','), ['x-auth-else', 'x_auth_subject', 'authorization'], 'not what is written');
  const nobody = await asks(asEnvoy({ target: '/public/a', headers: [['X-Auth-Subject', 'mallory']] }));
  t.match(nobody.header('x-envoy-auth-headers-to-remove'), /^x-auth-subject,x-auth-client,x-auth-scope$/);
  t.equal(nobody.header('x-auth-subject'), undefined);
});

t.test(
  'preflights and documents are answered if the proxy can forward the answer, and never let through',
  async (t) => {
    const cors = { origins: ['https://app.example.com'] };
    const { asks, port } = await opened(t, { cors, resource: 'https://api.example.com' });
    const headers = [
      ['Origin', 'https://app.example.com'],
      ['Access-Control-Request-Method', 'GET'],
    ] as const;
    const preflight = { method: 'OPTIONS', target: '/orders/1', headers };
    const direct = await ask(port, requestText(preflight));
    t.equal(direct.status, 204);
    const [nginx, envoy, traefik] = [
      await asks(asNginx(preflight)),
      await asks(asEnvoy(preflight)),
      await asks(asTraefik(preflight)),
    ];
    t.strictSame([nginx.status, statusOf(nginx), envoy.status, traefik.status], [403, 204, 204, 404]);
    for (const told of [nginx, envoy]) {
      for (const name of [
        'access-control-allow-origin',
        'access-control-allow-methods',
        'access-control-allow-headers',
        'access-control-max-age',
      ])
        t.equal(told.header(name), direct.header(name), name);
    }
    t.equal(problemOf(traefik).code, 'answer_undeliverable');
    const document = { target: '/.well-known/oauth-protected-resource' };
    const told = await asks(asNginx(document));
    t.strictSame([told.status, statusOf(told), told.header('x-gatehouse-type')], [403, 200, 'application/json']);
    t.strictSame(told.header('x-gatehouse-body'), (await ask(port, requestText(document))).body.toString());
    for (const shape of [asTraefik, asEnvoy])
      t.equal(problemOf(await asks(shape(document))).code, 'answer_undeliverable');
  },
);

t.test('a page of another origin can read refusals and accepted answers', async (t) => {
  const { asks } = await opened(t, { cors: { origins: ['https://app.example.com'] } });
  const origin = ['Origin', 'https://app.example.com'] as const;
  for (const shape of Object.values(shapes)) {
    for (const headers of [[origin], [origin, bearer(await token())]]) {
      const response = await asks(shape({ headers }));
      t.equal(response.header('access-control-allow-origin'), 'https://app.example.com');
      t.equal(response.all('vary').length, 1, 'nginx goes by one line');
    }
  }
});

t.test('required information from the proxy that is missing or repeated is a 500, and nothing passes', async (t) => {
  const { asks, log } = await opened(t);
  const without = (bytes: Buffer, name: string) =>
    Buffer.from(bytes.toString('latin1').replace(new RegExp(`^${name}: .*\r\n`, 'im'), ''), 'latin1');
  const cases = [
    [asNginx, ['X-Original-Method', 'X-Original-URL']],
    [asNginxUri, ['X-Original-Method', 'X-Original-URI']],
    [asTraefik, ['X-Forwarded-Method', 'X-Forwarded-Host', 'X-Forwarded-Uri']],
  ] as const;
  for (const [shape, names] of cases) {
    for (const name of names) {
      const received = { target: '/public/a' };
      for (const bytes of [without(shape(received), name), shape({ ...received, headers: [[name, '/public/a']] })]) {
        const response = await asks(bytes);
        t.equal(response.status, 500, name);
        t.equal(problemOf(response).code, 'question_unclear');
      }
      t.match(log.at(-1), { code: 'question_unclear', reason: new RegExp(name.toLowerCase()) });
    }
  }
  for (const url of ['/public/a', 'ftp://api.example.com/public/a', 'https:///public/a', 'https:/public/a'])
    t.equal(
      (
        await asks(
          requestText({
            target: '/nginx',
            headers: [
              ['X-Original-Method', 'GET'],
              ['X-Original-URL', url],
            ],
          }),
        )
      ).status,
      500,
      url,
    );
  for (const target of ['/', '/nginx/', '/forward-auth/x', '/envoy', '/envoyx', '/livez'])
    t.equal((await asks(requestText({ target }))).status, 500, target);
});

t.test('headers of another kind of proxy do not count: the requested path decides', async (t) => {
  const { asks } = await opened(t);
  const others: readonly (readonly [string, string])[] = [
    ['X-Original-Method', 'OPTIONS'],
    ['X-Original-URL', 'https://api.example.com/public/a'],
    ['X-Original-URI', '/public/a'],
    ['X-Forwarded-Method', 'OPTIONS'],
    ['X-Forwarded-Host', 'other.example'],
    ['X-Forwarded-Uri', '/public/a'],
    ['X-Rewrite-URL', '/public/a'],
    ['X-HTTP-Method-Override', 'OPTIONS'],
  ];
  const owns = {
    nginx: /^x-original-(?:method|url)$/i,
    'nginx/uri': /^x-original-(?:method|uri)$/i,
    traefik: /^x-forwarded/i,
    envoy: /^$/,
  };
  for (const [name, shape] of Object.entries(shapes)) {
    const forged = others.filter(([header]) => !owns[name as keyof typeof owns].test(header));
    const response = await asks(shape({ headers: forged }));
    t.equal(statusOf(response), 401, name);
  }
});

t.test("a decision is recorded as at the gateway's own listener, with the kind of proxy", async (t) => {
  const { asks, log, port } = await opened(t);
  const headers = [bearer(await token())];
  for (const [via, shape] of [
    ['nginx', asNginx],
    ['nginx', asNginxUri],
    ['forward-auth', asTraefik],
    ['envoy', asEnvoy],
  ] as const) {
    for (const [received, code] of [
      [{ target: '/orders/1', headers }, 'forwarded'],
      [{ target: '/admin/1', headers }, 'scope_insufficient'],
    ] as const) {
      await asks(shape(received));
      const record = log.at(-1) ?? {};
      t.match(record, {
        via,
        code,
        method: 'GET',
        host: 'api.example.com',
        address: '192.0.2.7',
        subject: 'alice',
        client: 'shop',
      });
      t.equal(record.path, received.target);
      await ask(port, requestText(received));
      const direct = log.at(-1) ?? {};
      // Traefik sends the name of its own client if the request has none.
      const { via: _, user_agent: __, ...rest } = record;
      t.notOk('via' in direct);
      const { bytes_in: body, ...others } = direct;
      t.equal(body, 0, 'of the body the proxy that asks says nothing');
      t.strictSame(
        Object.keys(rest).filter((key) => !/_ms$/.test(key)),
        Object.keys(others).filter((key) => !/_ms$/.test(key)),
      );
    }
  }
});

t.test('an outage of the authorization server is 503 with Retry-After, and never lets a request pass', async (t) => {
  const gone = {
    main: {
      issuer: 'https://auth.example.com',
      jwks_uri: 'http://127.0.0.1:9/jwks',
      audience: 'https://api.example.com',
    },
  };
  const { asks } = await opened(t, { authorization_servers: gone, development: true });
  for (const shape of Object.values(shapes)) {
    const response = await asks(shape({ headers: [bearer(await jwt({ scope: 'orders.read' }))] }));
    t.equal(statusOf(response), 503);
    t.ok(response.header('retry-after'));
  }
});

t.test('HEAD, and a body that the proxy sends anyway, change nothing', async (t) => {
  const { asks } = await opened(t);
  const head = await asks(asEnvoy({ method: 'HEAD', target: '/orders/1' }), 'HEAD');
  t.equal(head.status, 401);
  t.equal(head.body.length, 0);
  const received = asNginx({ method: 'POST', headers: [bearer(await token())] }).toString('latin1');
  const withBody = received.replace(
    '\r\n\r\n',
    '\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 14\r\n\r\naccess_token=x',
  );
  t.equal((await asks(Buffer.from(withBody, 'latin1'))).status, 200);
});

t.test(
  'a decision request for a WebSocket is answered like any other, even if the proxy forwards the upgrade',
  async (t) => {
    const { asks } = await opened(t);
    const upgrade = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ] as const;
    const headers = [...upgrade, bearer(await token())];
    t.equal((await asks(asTraefik({ headers, scheme: 'https' }))).status, 200);
    t.equal((await asks(asTraefik({ headers: upgrade }))).status, 401);
    const proto = asTraefik({ headers })
      .toString('latin1')
      .replace('X-Forwarded-Proto: https', 'X-Forwarded-Proto: wss');
    t.equal((await asks(Buffer.from(proto, 'latin1'))).status, 200);
  },
);
