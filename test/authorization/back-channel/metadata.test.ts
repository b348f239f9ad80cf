import t from 'tap';
import { configuration, run } from '../running-service.ts';

t.test('the metadata of an issuer without a path are at both addresses', async (t) => {
  const service = await run(t);
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const response = await fetch(`${service.url}/.well-known/${name}`);
    t.equal(response.status, 200, name);
    t.equal(response.headers.get('cache-control'), 'public, max-age=300');
    t.equal(response.headers.get('pragma'), null);
    t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    t.strictSame(await response.json(), {
      issuer: 'http://localhost:8081',
      authorization_endpoint: 'http://localhost:8081/oauth2/authorize',
      response_modes_supported: ['query', 'fragment', 'form_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ui_locales_supported: ['en', 'de'],
      token_endpoint: 'http://localhost:8081/oauth2/token',
      jwks_uri: 'http://localhost:8081/oauth2/jwks',
      introspection_endpoint: 'http://localhost:8081/oauth2/introspect',
      revocation_endpoint: 'http://localhost:8081/oauth2/revoke',
      revocation_events_endpoint: 'http://localhost:8081/oauth2/events',
      scopes_supported: ['orders.read', 'orders.write', 'admin'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    });
  }
});

t.test('the metadata of an issuer with a path are at all three addresses, inserted and appended', async (t) => {
  const service = await run(t, { config: { issuer: 'https://auth.example.com/tenant' } });
  for (const path of [
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ]) {
    const document = (await (await fetch(service.url + path)).json()) as Record<string, string>;
    t.equal(document.issuer, 'https://auth.example.com/tenant', path);
    t.equal(document.token_endpoint, 'https://auth.example.com/tenant/oauth2/token');
  }
});

t.test('the issuer is the configured one, whatever host the request names', async (t) => {
  const service = await run(t);
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  };
  const document = await (await fetch(`${service.url}/.well-known/oauth-authorization-server`, { headers })).text();
  t.notMatch(document, /evil/);
});

t.test('the metadata list only what is in use', async (t) => {
  const clients = configuration().clients.filter(({ client_id }) => client_id === 'gateway');
  const service = await run(t, {
    config: { clients: [...clients, { client_id: 'open', grant_types: [], introspect: false }] },
  });
  const document = await (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).json();
  t.match(document, { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'] });
  t.strictSame((document as Record<string, unknown>).grant_types_supported, []);
  t.notOk('authorization_endpoint' in (document as object));
  t.match(document, { introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] });
});

t.test('the key set holds public keys only, and is the same after a restart', async (t) => {
  const { calculateJwkThumbprint } = await import('jose');
  const first = await run(t);
  const text = await (await fetch(`${first.url}/oauth2/jwks`)).text();
  const { keys } = JSON.parse(text) as { keys: Record<string, string>[] };
  t.equal(keys.length, 1);
  const [key = {}] = keys;
  t.strictSame([key.use, key.alg, key.kid], ['sig', 'ES256', await calculateJwkThumbprint(key)]);
  t.strictSame(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  await first.stop();
  const second = await run(t, { directory: first.directory });
  t.equal(await (await fetch(`${second.url}/oauth2/jwks`)).text(), text);
});

t.test('a request for an unchanged document gets 304', async (t) => {
  const service = await run(t);
  for (const path of ['/oauth2/jwks', '/.well-known/oauth-authorization-server']) {
    const etag = (await fetch(service.url + path)).headers.get('etag') ?? '';
    for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await fetch(service.url + path, { headers: { 'if-none-match': condition } });
      t.strictSame([response.status, await response.text(), response.headers.get('etag')], [304, '', etag]);
    }
    t.equal((await fetch(service.url + path, { headers: { 'if-none-match': '"other"' } })).status, 200);
  }
});
