import t from 'tap';
import { keysBy, lifetime, vendor } from './vendor.ts';

const issuer = 'https://example.okta.com/oauth2/default';
const page = 'okta.md';
/** Okta's header only has `kid` and `alg`. */
const untyped = { typ: undefined };

const { iat, exp } = lifetime;
const access = {
  ver: 1,
  jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
  iss: issuer,
  aud: 'api://default',
  iat,
  exp,
  cid: '0oa1client',
  uid: '00u1alice',
  scp: ['orders.read', 'openid'],
  auth_time: iat,
  sub: 'alice@example.com',
};
const identity = { ver: 1, jti: 'ID.x', iss: issuer, aud: '0oa1client', iat, exp, sub: '00u1alice', amr: ['pwd'] };

t.test('keys are found through the metadata of the authorization server', async (t) => {
  const jwks_uri = `${issuer}/v1/keys`;
  const address = 'https://example.okta.com/.well-known/oauth-authorization-server/oauth2/default';
  t.equal(await keysBy(page, address, { issuer, jwks_uri }), jwks_uri);
  t.equal(await keysBy(page, `${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri }), jwks_uri);
});

t.test('scope is the list scp, the client is cid', async (t) => {
  const { upstream, get } = await vendor(t, page);
  t.equal(await get(access, untyped), 200);
  t.equal(upstream.seen[0]?.header('x-auth-client'), '0oa1client');
  t.equal(upstream.seen[0]?.header('x-auth-scope'), 'orders.read openid');
  t.equal(await get({ ...access, scp: ['openid'] }, untyped), 'scope_insufficient');
});

t.test('a token of the organization, or for another API, is refused', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...access, iss: 'https://example.okta.com' }, untyped), 'token_issuer');
  t.equal(await get({ ...access, aud: 'api://other' }, untyped), 'token_audience');
});

t.test('the permanent id and the groups can be used instead', async (t) => {
  const lasting = await vendor(t, page, 1);
  t.equal(await lasting.get(access, untyped), 200);
  t.equal(lasting.upstream.seen[0]?.header('x-auth-subject'), '00u1alice');
  const groups = await vendor(t, page, 2);
  t.equal(await groups.get({ ...access, scp: [], groups: ['orders.read'] }, untyped), 200);
});

t.test('an identity token is refused', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...identity, groups: ['orders.read'], scp: ['orders.read'] }, untyped), 'token_audience');
});
