import t from 'tap';
import { keysBy, lifetime, vendor } from './vendor.ts';

const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI';
const page = 'cognito.md';
/** Cognito's header only has `kid` and `alg`. */
const untyped = { typ: undefined };

const common = { iss: issuer, iat: lifetime.iat, exp: lifetime.exp, jti: 'j', sub: 'aaaa-bbbb', origin_jti: 'o' };
const access = {
  ...common,
  auth_time: lifetime.iat,
  client_id: '1example23456789',
  event_id: 'e',
  scope: 'https://api.example.com/orders.read openid',
  token_use: 'access',
  username: 'alice',
  version: 2,
};
const identity = {
  ...common,
  aud: '1example23456789',
  'cognito:username': 'alice',
  email: 'alice@example.com',
  token_use: 'id',
};

t.test('keys are found through the metadata of the pool', async (t) => {
  const jwks_uri = `${issuer}/.well-known/jwks.json`;
  t.equal(await keysBy(page, `${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri }), jwks_uri);
});

t.test('a token without aud and without a type passes with token_use and client_id', async (t) => {
  const { upstream, get } = await vendor(t, page);
  t.equal(await get(access, untyped), 200);
  t.equal(upstream.seen[0]?.header('x-auth-client'), '1example23456789');
  t.equal(await get({ ...access, client_id: 'another' }, untyped), 'token_type');
});

t.test('a scope is named with its resource server', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...access, scope: 'https://other.example.com/orders.read' }, untyped), 'scope_insufficient');
  t.equal(await get({ ...access, scope: 'aws.cognito.signin.user.admin' }, untyped), 'scope_insufficient');
});

t.test('an identity token is refused, whatever its name', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...identity, scope: access.scope }, untyped), 'token_type');
  t.equal(await get({ ...identity, scope: access.scope, client_id: '1example23456789' }, untyped), 'token_type');
  t.equal(await get(access, { typ: 'JWT' }), 'token_type', 'what Cognito does not write');
  t.equal(await get(access, { typ: 'absent' }), 'token_type', 'absent is no name of a type');
});

t.test('with resource binding aud is checked too', async (t) => {
  const { get } = await vendor(t, page, 1);
  t.equal(await get({ ...access, aud: 'https://api.example.com' }, untyped), 200);
  t.equal(await get(access, untyped), 'token_audience');
});
