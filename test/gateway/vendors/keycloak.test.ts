import t from 'tap';
import { keysBy, lifetime, vendor } from './vendor.ts';

const issuer = 'https://sso.example.com/realms/shop';
const page = 'keycloak.md';

const { iat, exp } = lifetime;
const common = { iss: issuer, iat, exp, auth_time: iat, jti: 'j', sub: 'f:1:alice', sid: 's', azp: 'web', acr: '1' };
const access = {
  ...common,
  aud: ['orders-api', 'account'],
  typ: 'Bearer',
  'allowed-origins': ['https://app.example.com'],
  realm_access: { roles: ['offline_access', 'default-roles-shop'] },
  resource_access: { account: { roles: ['manage-account'] } },
  scope: 'openid email profile',
  preferred_username: 'alice',
};
const identity = { ...common, aud: 'web', typ: 'ID', nonce: 'n', at_hash: 'h', preferred_username: 'alice' };

t.test('keys are found through the metadata of the realm', async (t) => {
  const jwks_uri = `${issuer}/protocol/openid-connect/certs`;
  t.equal(await keysBy(page, `${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri }), jwks_uri);
});

t.test('client scopes, realm roles and roles of the API open the route; the client is azp', async (t) => {
  const { upstream, get } = await vendor(t, page);
  t.equal(await get(access), 'scope_insufficient');
  t.equal(await get({ ...access, scope: 'openid orders.read' }), 200);
  t.equal(await get({ ...access, realm_access: { roles: ['orders-reader'] } }), 200);
  t.equal(await get({ ...access, resource_access: { 'orders-api': { roles: ['orders-reader'] } } }), 200);
  for (const seen of upstream.seen) t.equal(seen.header('x-auth-client'), 'web');
});

t.test('the roles of another client open nothing', async (t) => {
  const { get } = await vendor(t, page);
  const resource_access = { 'other-api': { roles: ['orders-reader'] } };
  t.equal(await get({ ...access, resource_access }), 'scope_insufficient');
});

t.test('a token without the audience mapper is refused', async (t) => {
  const { get } = await vendor(t, page);
  const realm_access = { roles: ['orders-reader'] };
  t.equal(await get({ ...access, realm_access, aud: 'account' }), 'token_audience');
  t.equal(await get({ ...access, realm_access, aud: undefined }), 'token_audience');
});

t.test('an identity or refresh token is refused, even for the API itself', async (t) => {
  const { get } = await vendor(t, page);
  const roles = { realm_access: { roles: ['orders-reader'] }, aud: 'orders-api' };
  t.equal(await get({ ...identity, ...roles }), 'token_type');
  t.equal(await get({ ...common, ...roles, typ: 'Refresh' }), 'token_type');
  t.equal(await get({ ...common, ...roles }), 'token_type');
});
