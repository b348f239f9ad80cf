import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { runTests } from '../../../src/gateway/explain/run-tests.ts';
import { apiKeyFile, apiKeyLine } from '../../support/api-key-files.ts';
import { digestLines, userFile } from '../../support/user-files.ts';

const base = {
  version: 1,
  resource: 'https://api.example.com',
  authorization_servers: {
    main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' },
    other: { issuer: 'https://other.example.com' },
  },
  upstreams: { api: { url: 'http://127.0.0.1:9' } },
  defaults: { upstream: 'api' },
  routes: [
    { id: 'health', match: { methods: ['GET'], path: '/health' }, access: 'public' },
    { id: 'read', match: { methods: ['GET'], path: '/orders/{rest*}' }, scope: 'orders.read' },
    { id: 'form', match: { methods: ['POST'], path: '/form' }, scope: 'a', bearer_methods_supported: ['body'] },
    {
      id: 'soap',
      match: { host: '{tenant}.example.com', path: '/service' },
      scope: 'a',
      audience: 'https://soap.example.com',
      authorization_servers: ['main'],
      claims: { tenant: { equals: 'host.tenant' } },
    },
    {
      id: 'when',
      match: { path: '/when', headers: { 'x-v': '2' } },
      access: 'authenticated',
      when: 'identity.claims.env == "prod"',
    },
  ],
};

async function failures(tests: readonly object[], more: object = {}): Promise<readonly string[]> {
  const loaded = loadGatewayText(JSON.stringify({ ...base, ...more, tests }));
  if (!loaded.ok) return loaded.problems.map(({ message }) => message);
  return (await runTests(loaded)).map(({ message }) => message);
}

const read = { scope: 'orders.read' };

t.test('a passing test is silent', async (t) => {
  const tests = [
    { request: 'GET /orders/7', token: read, expect: { forward: true, route: 'read' } },
    { request: 'GET /orders/7', token: { scope: 'admin' }, expect: { refuse: 403, error: 'insufficient_scope' } },
    { request: 'GET /orders/7', expect: { refuse: 401, code: 'credential_missing' } },
    { request: 'GET /health/../orders/7', expect: { refuse: 400, code: 'target_dot_segment' } },
    { request: 'GET /none', expect: { refuse: 404 } },
    { request: 'DELETE /health', expect: { refuse: 405 } },
  ];
  t.strictSame(await failures(tests), []);
});

t.test('a failing test shows what was expected and what happened', async (t) => {
  t.match(await failures([{ request: 'GET /orders/7', token: read, expect: { refuse: 403 } }]), [
    /expected refused with 403, but it is forwarded by `read` \(gateway\.yaml:1\)/,
  ]);
  t.match(await failures([{ request: 'GET /health', expect: { forward: true, route: 'read' } }]), [
    /expected forwarded by `read`, but it is forwarded by `health`/,
  ]);
  t.match(await failures([{ request: 'GET /orders', expect: { refuse: 401, error: 'invalid_token' } }]), [
    /expected refused with 401 invalid_token, but it is refused with 401 credential_missing/,
  ]);
});

t.test('by default a token of a test is for every audience', async (t) => {
  const soap = (token: object, expect: object) => ({ request: 'GET https://acme.example.com/service', token, expect });
  const tests = [
    soap({ scope: 'a', claims: { tenant: 'acme' } }, { forward: true, route: 'soap' }),
    soap({ scope: 'a', claims: { tenant: 'globex' } }, { refuse: 403, code: 'condition_failed' }),
    soap({ scope: 'a', aud: 'https://api.example.com' }, { refuse: 401, code: 'token_audience' }),
    soap({ scope: 'a', server: 'other' }, { refuse: 401, code: 'token_issuer' }),
  ];
  t.strictSame(await failures(tests), []);
});

t.test('claims arrive whole, headers choose routes, and a token is sent as its route accepts it', async (t) => {
  const headers = { 'X-V': '2' };
  const tests = [
    {
      request: 'GET /when',
      headers,
      token: { claims: { env: 'prod', deep: { list: [1, { a: 2 }] } } },
      expect: { forward: true, route: 'when' },
    },
    { request: 'GET /when', headers, token: {}, expect: { refuse: 403 } },
    { request: 'GET /when', token: {}, expect: { refuse: 404 } },
    { request: 'POST /form', token: { scope: 'a' }, expect: { forward: true, route: 'form' } },
    {
      request: 'GET /orders/7',
      token: read,
      headers: { Authorization: 'Bearer x' },
      expect: { refuse: 400, code: 'credential_repeated' },
    },
  ];
  t.strictSame(await failures(tests), []);
});

t.test('in shadow mode a test sees what enforcement would do', async (t) => {
  const tests = [
    { request: 'GET /orders/7', expect: { refuse: 401 } },
    { request: 'GET /none', expect: { refuse: 404 } },
    { request: 'GET /orders/7', token: read, expect: { forward: true, route: 'read' } },
  ];
  t.strictSame(await failures(tests, { mode: 'shadow' }), []);
});

t.test('a Basic or Digest user needs no password, and has the scope of the file', async (t) => {
  const users = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
  const hashes = userFile(t, digestLines('alice', 'm', 'x') + digestLines('bob', 'm', 'y'));
  const digest = { realm: 'm', users: hashes, scopes: { alice: 'read' } };
  const routes = [
    { id: 'hook', match: { path: '/hooks' }, auth: 'basic', basic: { users }, access: 'authenticated' },
    { id: 'meters', match: { path: '/meters' }, auth: { any_of: ['bearer', 'digest'] }, digest, scope: 'read' },
  ];
  const tests = [
    { request: 'GET /hooks', user: 'alice', expect: { forward: true, route: 'hook' } },
    { request: 'GET /hooks', expect: { refuse: 401, code: 'credential_missing' } },
    { request: 'GET /hooks', token: { scope: 'read' }, expect: { refuse: 401, code: 'credential_missing' } },
    { request: 'GET /meters', user: 'alice', expect: { forward: true, route: 'meters' } },
    { request: 'GET /meters', user: 'bob', expect: { refuse: 403, code: 'scope_insufficient' } },
    { request: 'GET /meters', token: { scope: 'read' }, expect: { forward: true } },
    { request: 'GET /meters', headers: { Authorization: 'Digest a' }, expect: { refuse: 401, code: 'password_wrong' } },
    {
      request: 'GET /hooks',
      headers: { Authorization: 'Basic YTpi' },
      expect: { refuse: 401, code: 'password_wrong' },
    },
  ];
  t.strictSame(await failures(tests, { routes }), []);
  const public_ = { listen: '0.0.0.0:80', trusted_proxies: ['10.0.0.0/8'] };
  const wire = [
    { request: 'GET http://api.example.com/hooks', user: 'alice', expect: { refuse: 403, code: 'transport_insecure' } },
    { request: 'GET https://api.example.com/hooks', user: 'alice', expect: { forward: true } },
  ];
  t.strictSame(await failures(wire, { routes, ...public_ }), []);
});

t.test('a client of API keys, or one of its keys by id, needs no key, and has the scope of the key', async (t) => {
  const past = 1_600_000_000;
  const keys = apiKeyFile(
    t,
    apiKeyLine('a', 'meter', { id: 'ended', scopes: ['write'], expiresAt: past }),
    apiKeyLine('b', 'meter', { id: 'reads', scopes: ['read'] }),
    apiKeyLine('c', 'meter', { id: 'writes', scopes: ['write'] }),
    apiKeyLine('d', 'old', { id: 'old-1', scopes: ['read'], expiresAt: past }),
  );
  const routes = [{ id: 'r', match: { path: '/r' }, scope: 'read', auth: 'api_key', api_key: { keys } }];
  const tests = [
    { request: 'GET /r', user: 'meter', expect: { forward: true, route: 'r' } },
    { request: 'GET /r', user: 'reads', expect: { forward: true } },
    { request: 'GET /r', user: 'writes', expect: { refuse: 403, code: 'scope_insufficient' } },
    { request: 'GET /r', user: 'ended', expect: { refuse: 401, code: 'api_key_expired' } },
    { request: 'GET /r', user: 'old', expect: { refuse: 401, code: 'api_key_expired' } },
    { request: 'GET /r', user: 'stranger', expect: { refuse: 403, code: 'scope_insufficient' } },
    { request: 'GET /r', expect: { refuse: 401, code: 'credential_missing' } },
    { request: 'GET /r', headers: { 'X-API-Key': 'b' }, expect: { refuse: 401, code: 'api_key_invalid' } },
    { request: 'GET /r', headers: { X_API_Key: 'b' }, expect: { refuse: 400, code: 'credential_misspelt' } },
  ];
  t.strictSame(await failures(tests, { routes }), []);
});

t.test('a code that does not exist is an error at its line, with the probable code', async (t) => {
  const text = (code: string, status = 404) => `version: 1
upstreams: { api: { url: "http://127.0.0.1:9" } }
routes: [{ match: { path: /a }, upstream: api, access: public }]
tests:
  - request: GET /b
    expect:
      refuse: ${status}
      code: ${code}
`;
  const told = async (yaml: string) => {
    const loaded = loadGatewayText(yaml);
    return loaded.ok ? runTests(loaded) : loaded.problems;
  };
  const at = { severity: 'error', line: 8, column: 13 };
  t.strictSame(await told(text('route_not_found')), []);
  t.match(await told(text('rout_not_found')), [
    { ...at, message: 'there is no code `rout_not_found`', hint: 'did you mean `route_not_found`?' },
  ]);
  t.match(await told(text('blah')), [
    { ...at, message: 'there is no code `blah`', hint: /^the request gets `route_not_found`; docs\/errors\.md/ },
  ]);
  t.match(await told(text('toString')), [{ ...at, message: 'there is no code `toString`' }]);
  t.match(await told(text('route_not_found', 401)), [
    { ...at, message: 'the code `route_not_found` has the status 404, not 401', hint: 'write `refuse: 404`' },
  ]);
});
