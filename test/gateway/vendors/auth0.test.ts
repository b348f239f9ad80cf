import t from 'tap';
import { keysBy, lifetime, vendor } from './vendor.ts';

const issuer = 'https://example.eu.auth0.com/';
const api = 'https://api.example.com';
const page = 'auth0.md';

const { iat, exp } = lifetime;
const access = {
  iss: issuer,
  sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
  aud: [api, `${issuer}userinfo`],
  iat,
  exp,
  scope: 'openid profile read:orders',
  azp: 'my_client_id',
  permissions: [],
};
const program = { iss: issuer, sub: 'm2m@clients', aud: api, iat, exp, azp: 'm2m', gty: 'client-credentials' };
/** The RFC 9068 profile. */
const profiled = { ...access, azp: undefined, client_id: 'my_client_id', jti: 'j' };
const identity = { iss: issuer, sub: access.sub, aud: 'my_client_id', iat, exp, nonce: 'n', sid: 's', name: 'Alice' };

t.test('keys are found through the metadata, and the slash belongs to the issuer', async (t) => {
  const jwks_uri = `${issuer}.well-known/jwks.json`;
  const address = `${issuer}.well-known/openid-configuration`;
  t.equal(await keysBy(page, address, { issuer, jwks_uri }), jwks_uri);
  t.match(await keysBy(page, address, { issuer: issuer.slice(0, -1), jwks_uri }), { kind: 'failed' });
});

t.test('scope and permissions count together; the client is azp, or client_id with the profile', async (t) => {
  const { upstream, get } = await vendor(t, page);
  t.equal(await get(access), 200);
  t.equal(await get(profiled, { typ: 'at+jwt' }), 200);
  for (const seen of upstream.seen) t.equal(seen.header('x-auth-client'), 'my_client_id');
  t.equal(await get({ ...program, permissions: ['read:orders'] }), 200);
  t.equal(await get({ ...program, scope: 'write:orders' }), 'scope_insufficient');
});

t.test('the API must be among the audiences', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...access, aud: [`${issuer}userinfo`] }), 'token_audience');
  t.equal(await get({ ...access, aud: `${api}/` }), 'token_audience');
});

t.test('with permissions alone, a requested scope opens nothing', async (t) => {
  const { get } = await vendor(t, page, 1);
  t.equal(await get(access), 'scope_insufficient');
  t.equal(await get({ ...access, permissions: ['read:orders'] }), 200);
});

t.test('an identity token is refused, and with the profile every token of type JWT', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...identity, permissions: ['read:orders'] }), 'token_audience');
  const strict = await vendor(t, page, 2);
  t.equal(await strict.get(profiled, { typ: 'at+jwt' }), 200);
  t.equal(await strict.get({ ...identity, aud: api, scope: 'read:orders' }), 'token_type');
});
