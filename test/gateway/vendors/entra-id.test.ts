import t from 'tap';
import { keysBy, lifetime, vendor } from './vendor.ts';

const tenant = '9f0c1d5e-0b7a-4c39-8f51-2d6a7be0c111';
const api = '6f1c6c0e-58b7-4a3f-9d1e-5b0f4a6d2222';
const page = 'entra-id.md';
const base = `https://login.microsoftonline.com/${tenant}`;

const common = { ...lifetime, iss: `${base}/v2.0`, aud: api, tid: tenant, ver: '2.0', uti: 'x0Yb', rh: '0.AAA' };
const delegated = {
  ...common,
  aio: 'AXQA',
  azp: 'c1d2e3f4-0000-4000-8000-000000000001',
  azpacr: '0',
  name: 'Alice',
  oid: '11111111-2222-4333-8444-555555555555',
  preferred_username: 'alice@example.com',
  scp: 'Orders.Read profile',
  sub: 'pairwise-subject',
};
const application = {
  ...common,
  azp: 'daemon',
  azpacr: '1',
  oid: 'sp',
  sub: 'sp',
  idtyp: 'app',
  roles: ['Orders.Read.All'],
};
const identity = { ...common, aud: 'c1d2e3f4-0000-4000-8000-000000000001', nonce: 'n', sub: 'pairwise', name: 'Alice' };

t.test('keys are found through the metadata of the tenant', async (t) => {
  const jwks_uri = `${base}/discovery/v2.0/keys`;
  const document = { issuer: `${base}/v2.0`, jwks_uri, token_endpoint: `${base}/oauth2/v2.0/token` };
  t.equal(await keysBy(page, `${base}/v2.0/.well-known/openid-configuration`, document), jwks_uri);
  const common = { ...document, issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
  t.match(await keysBy(page, `${base}/v2.0/.well-known/openid-configuration`, common), { kind: 'failed' });
});

t.test('the scope of people is in scp, of programs in roles; the client is azp', async (t) => {
  const { upstream, get } = await vendor(t, page);
  t.equal(await get(delegated), 200);
  t.equal(upstream.seen[0]?.header('x-auth-client'), delegated.azp);
  t.equal(upstream.seen[0]?.header('x-auth-scope'), 'Orders.Read profile');
  t.equal(await get(application), 200);
  t.equal(await get({ ...delegated, scp: 'profile' }), 'scope_insufficient');
  t.equal(await get({ ...application, roles: [] }), 'scope_insufficient');
});

t.test('tokens for another API, of another tenant and of version 1 are refused', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get({ ...delegated, aud: '00000003-0000-0000-c000-000000000000' }), 'token_audience');
  t.equal(await get({ ...delegated, aud: `api://${api}` }), 'token_audience');
  t.equal(await get({ ...delegated, iss: 'https://login.microsoftonline.com/other/v2.0' }), 'token_issuer');
  t.equal(await get({ ...delegated, iss: `https://sts.windows.net/${tenant}/`, ver: '1.0' }), 'token_issuer');
});

t.test('an API that is known by an address accepts that as audience', async (t) => {
  const { get } = await vendor(t, page, 1);
  t.equal(await get({ ...delegated, aud: 'api://orders' }), 200);
  t.equal(await get(delegated), 'token_audience');
});

t.test('the subject that is the same everywhere is forwarded as oid', async (t) => {
  const { upstream, get } = await vendor(t, page, 2);
  t.equal(await get(delegated), 200);
  t.equal(upstream.seen[0]?.header('x-auth-subject'), delegated.oid);
});

t.test('an identity token is refused', async (t) => {
  const { get } = await vendor(t, page);
  t.equal(await get(identity), 'token_audience');
  t.equal(await get({ ...identity, roles: ['Orders.Read.All'] }), 'token_audience');
});

t.test('if the sign-in is for the API itself, azpacr identifies an identity token with its roles', async (t) => {
  const { get } = await vendor(t, page, 3);
  t.equal(await get({ ...identity, aud: api, roles: ['Orders.Read.All'] }), 'token_type');
  t.equal(await get(delegated), 200);
  t.equal(await get(application), 200);
});
