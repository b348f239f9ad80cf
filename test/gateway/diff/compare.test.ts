import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { type Comparison, compare } from '../../../src/gateway/diff/compare.ts';
import { compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { userFile } from '../../support/user-files.ts';

const read = 'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read';
const old = [read];

function side(file: string, routes: readonly string[], more = '') {
  const text = `version: 1
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com"${more} } }
upstreams: { api: { url: "http://127.0.0.1:9" } }
defaults: { upstream: api }
routes:
${routes.map((route) => `  - { ${route} }\n`).join('')}`;
  const loaded = loadGatewayText(text, { file });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return compileFile(loaded);
}

function compared(before: readonly string[], after: readonly string[]): Promise<Comparison> {
  return compare(side('old.yaml', before), side('new.yaml', after));
}

/** The change, and the only entry that reports it. */
const cases: Record<string, readonly [after: readonly string[], expected: object]> = {
  'a route that becomes public': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}" }, access: public'],
    { change: 'opened', methods: ['GET'], path: '/orders/{}', callers: [/without a token/] },
  ],
  'a scope that opens too': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: { any_of: [orders.read, admin] }'],
    { change: 'opened', callers: ['with scope admin'] },
  ],
  'a method that is added': [
    ['id: read, match: { methods: [GET, PUT], path: "/orders/{id}" }, scope: orders.read'],
    { change: 'opened', methods: ['PUT'] },
  ],
  'a second scope that is needed': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read admin'],
    { change: 'closed', callers: ['with scope orders.read'] },
  ],
  'a narrower host': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}", host: api.example.com }, scope: orders.read'],
    { change: 'closed', hosts: ['(any other host)'] },
  ],
  'a literal beside a parameter': [
    [read, 'id: new, match: { methods: [GET], path: /orders/new }, access: authenticated'],
    { change: 'opened', path: '/orders/new', callers: ['with a token without scope'] },
  ],
  'another audience': [
    [`${read}, audience: "https://other.example.com"`],
    { change: 'opened', callers: [/audience https:\/\/other\.example\.com/] },
  ],
  'a claim that is needed': [
    [`${read}, claims: { tenant: { equals: acme } }`],
    { change: 'closed', callers: ['with scope orders.read'] },
  ],
  'a route on a condition': [
    [read, 'id: beta, match: { path: "/orders/{id}", headers: { x-beta: "1" } }, access: public'],
    { change: 'opened', path: '/orders/{} [x-beta: 1]' },
  ],
  'a catch-all': [[read, 'id: all, match: { path: "/{rest*}" }, access: public'], { change: 'opened', path: '/{*}' }],
  'pages that may no longer call': [
    [`${read}, origins: ["https://a.example"]`],
    { change: 'closed', path: '/orders/{} [Origin: (any other)]', after: /origin_refused/ },
  ],
  'shadow mode': [[`${read}, mode: shadow`], { change: 'opened', methods: ['GET'], path: '/orders/{}' }],
};

for (const [name, [after, expected]] of Object.entries(cases)) {
  t.test(`diff reports ${name}`, async (t) => {
    const { changes } = await compared(old, after);
    t.ok(
      changes.some((change) => matches(change, expected)),
      JSON.stringify(changes, null, 1),
    );
  });
}

function matches(change: object, expected: object): boolean {
  return Object.entries(expected).every(([key, wanted]) => {
    const value = (change as Record<string, unknown>)[key];
    const fits = (one: unknown, text: unknown) => (one instanceof RegExp ? one.test(String(text)) : one === text);
    if (!Array.isArray(wanted)) return fits(wanted, value);
    return wanted.every((one) => (value as unknown[]).some((text) => fits(one, text)));
  });
}

t.test('a changed condition is undecided; with the same one everything else is compared', async (t) => {
  const when = (value: string, scope: string) => [
    `id: read, match: { path: /a }, scope: ${scope}, when: 'identity.claims.env == "${value}"'`,
  ];
  const undecided = [
    { route: 'read', at: 'old.yaml:6' },
    { route: 'read', at: 'new.yaml:6' },
  ];
  t.strictSame(await compared(when('prod', 'a'), when('test', 'a')), { changes: [], undecided, settings: [] });
  t.match((await compared(when('prod', 'a'), when('prod', 'b'))).changes, [
    { change: 'opened', callers: ['with scope b'] },
    { change: 'closed', callers: ['with scope a'] },
  ]);
});

t.test('an added origin is more access, and a removed one is less', async (t) => {
  const list = (...origins: readonly string[]) => [`${read}, origins: ${JSON.stringify(origins)}`];
  const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'];
  const more = await compared(list(a), list(a, b, c));
  t.match(more.changes, [
    { change: 'opened', path: `/orders/{} [Origin: ${b} or ${c}]`, callers: ['with scope orders.read'] },
  ]);
  const none = await compared(list(a), old);
  t.match(none.changes, [{ change: 'opened', path: '/orders/{} [Origin: (any other)]' }]);
  const less = await compared(list(a, b), list('HTTPS://A.example'));
  t.match(less.changes, [{ change: 'closed', path: `/orders/{} [Origin: ${b}]` }]);
  t.strictSame((await compared(list(a, b), list(b, a))).changes, []);
});

t.test('a pattern that only overlaps another is compared where they overlap', async (t) => {
  const before = ['match: { path: "/a/{x}/c" }, scope: one'];
  const { changes } = await compared(before, [...before, 'match: { path: "/a/b/{y}" }, access: public']);
  t.match(
    changes.find(({ path }) => path === '/a/b/c'),
    { change: 'opened', callers: [/without a token/] },
  );
});

t.test("each client is reported with its own answer, not with the first client's", async (t) => {
  const open = 'id: write, match: { methods: [POST], path: /books }, access: public';
  const shut = 'id: write, match: { methods: [POST], path: /books }, scope: books.write';
  const { changes } = await compared([open], [shut]);
  const answer = (caller: string) => changes.find(({ callers }) => callers.includes(caller))?.after;
  t.match(answer('without a token'), /^refused with 401 credential_missing/);
  t.match(answer('with a token without scope'), /^refused with 403 scope_insufficient/);
  t.match(
    answer('with scope books.write, audience urn:gatehouse:another-audience'),
    /^refused with 401 token_audience/,
  );
});

t.test('the verification of tokens cannot be tested: a change is reported by its key', async (t) => {
  const changed = side('new.yaml', old, ', clock_skew: 2m, algorithms: [ES256]');
  const { settings } = await compare(side('old.yaml', old), changed);
  t.strictSame(settings, ['authorization_servers.main.algorithms', 'authorization_servers.main.clock_skew']);
});

t.test('the users of Basic or Digest cannot be tested: a change is reported by the route', async (t) => {
  const users = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
  const read = 'id: read, match: { path: /a }, scope: a';
  const basic = (more: string) => [`${read}, auth: { any_of: [bearer, basic] }, basic: { users: "${users}"${more} }`];
  const settingsOf = async (before: readonly string[], after: readonly string[]) =>
    (await compared(before, after)).settings;
  t.strictSame(await settingsOf([read], basic('')), ['routes.read.auth']);
  t.strictSame(await settingsOf(basic(''), basic(', scopes: { alice: a }')), ['routes.read.auth']);
  t.strictSame(await settingsOf(basic(''), basic('')), []);
  t.strictSame(await settingsOf([read], [`${read}, auth: bearer`]), []);
});

t.test('a changed upstream is reported by its keys, without their values', async (t) => {
  const file = (more: string) => {
    const text = `version: 1\nupstreams: { api: { ${more} } }\nroutes: [{ match: { path: /a }, upstream: api, access: public }]`;
    const loaded = loadGatewayText(text, { file: 'gateway.yaml' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return compileFile(loaded);
  };
  const settings = async (before: string, after: string) => (await compare(file(before), file(after))).settings;
  const one = 'url: "http://127.0.0.1:1"';
  t.strictSame(await settings(one, 'urls: ["http://127.0.0.1:1"]'), []);
  t.strictSame(await settings(one, 'urls: ["http://127.0.0.1:1", "http://127.0.0.1:2"]'), ['upstreams.api.urls']);
  t.strictSame(await settings(one, `${one}, http2: true, credentials: { basic: { username: a, password: secret } }`), [
    'upstreams.api.credentials',
    'upstreams.api.http2',
  ]);
});
