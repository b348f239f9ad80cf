import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { varyOf } from '../../../src/gateway/decide/vary.ts';

const base = {
  version: 1,
  authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
  upstreams: { api: { url: 'http://127.0.0.1:9' } },
  defaults: { upstream: 'api' },
};

function vary(routes: readonly object[]): string {
  const loaded = loadGatewayText(JSON.stringify({ ...base, routes }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return varyOf(loaded.config.routes);
}

const plain = { match: { path: '/a' }, access: 'authenticated' };

t.test('a decision varies by the credential and by the origin of the page', (t) => {
  t.equal(vary([plain]), 'authorization, origin');
  t.equal(varyOf([]), 'authorization, origin');
  t.end();
});

t.test('a decision varies by every header that any route reads, each once', (t) => {
  const beta = { match: { path: '/b', headers: { 'X-Beta': '1' } }, access: 'public' };
  const when = { match: { path: '/c' }, access: 'authenticated', when: 'request.headers["x-env"] == "test"' };
  t.equal(
    vary([plain, beta, when, { ...beta, match: { ...beta.match, path: '/d' } }]),
    'authorization, origin, x-beta, x-env',
  );
  t.end();
});

t.test('a decision varies by everything if an expression chooses its header', (t) => {
  const any = {
    match: { path: '/c' },
    access: 'authenticated',
    when: 'request.headers.exists(name, request.headers[name] == "test")',
  };
  t.equal(vary([plain, any]), '*');
  t.end();
});

t.test('a decision varies by the header of an API key, and by no parameter', (t) => {
  const keyed = (api_key: object) => ({
    match: { path: '/k' },
    access: 'authenticated',
    auth: 'api_key',
    api_key: { keys: { storage: 'sqlite:/none/gatehouse.db' }, ...api_key },
  });
  t.equal(vary([keyed({})]), 'authorization, origin, x-api-key');
  t.equal(vary([plain, keyed({ name: 'X-Key' })]), 'authorization, origin, x-key');
  t.equal(vary([keyed({ in: 'query', name: 'key' })]), 'authorization, origin');
  t.end();
});
