import t from 'tap';
import { configuration } from '../running-service.ts';
import { exchange } from './exchange.ts';

t.test('a client that acts for itself gets an access token for itself, and no refresh token', async (t) => {
  const { ask, access } = await exchange(t);
  const answer = await ask('client_credentials', 'shop', {});
  t.match(answer, { scope: 'orders.read orders.write', token_type: 'Bearer' });
  t.equal(answer.refresh_token, undefined);
  t.match(await access(answer.access_token), {
    clientId: 'shop',
    subject: 'shop',
    username: undefined,
    audience: ['https://api.example.com'],
    grantId: undefined,
    authTime: undefined,
  });
  const jwt = await ask('client_credentials', 'shop-jwt', {
    scope: 'orders.read',
    resource: 'https://other.example.com',
  });
  t.equal(jwt.scope, 'orders.read');
  t.equal(jwt.access_token.split('.').length, 3);
});

t.test('a client may request part of its scope and resources, never more', async (t) => {
  const { ask, access, refusal } = await exchange(t);
  const answer = await ask('client_credentials', 'shop', {
    scope: 'orders.read',
    resource: 'https://other.example.com',
  });
  t.equal(answer.scope, 'orders.read');
  t.strictSame((await access(answer.access_token))?.audience, ['https://other.example.com']);
  t.match(await refusal('client_credentials', 'shop', { scope: 'admin' }), { code: 'invalid_scope' });
  t.match(await refusal('client_credentials', 'shop', { resource: 'https://x.example' }), { code: 'invalid_target' });
  t.strictSame(await refusal('client_credentials', 'app', {}), {
    code: 'unauthorized_client',
    detail: undefined,
    description: 'A public client cannot use this grant type.',
  });
});

const withPassword = (grant_types: readonly string[]) => ({
  clients: configuration().clients.map((client) =>
    client.client_id === 'web' ? { ...client, grant_types: grant_types as typeof client.grant_types } : client,
  ),
});
const alice = { username: 'alice', password: 'wonderland' };

t.test('the password grant gives tokens for that user', async (t) => {
  const { ask, access, now } = await exchange(t, withPassword(['password', 'refresh_token']));
  const answer = await ask('password', 'web', {
    ...alice,
    scope: 'orders.read',
    resource: 'https://other.example.com',
  });
  t.match(answer, { scope: 'orders.read', refresh_token: /^rt_/ });
  t.match(await access(answer.access_token), {
    clientId: 'web',
    subject: 'alice',
    audience: ['https://other.example.com'],
    authTime: now(),
    grantId: String,
  });
  const plain = await exchange(t, withPassword(['password']));
  const whole = await plain.ask('password', 'web', alice);
  t.equal(whole.refresh_token, undefined);
  t.equal(whole.scope, 'orders.read orders.write');
});

t.test('the metrics count each access token by grant type and format', async (t) => {
  const { ask, refusal, issued } = await exchange(t, withPassword(['password', 'refresh_token']));
  await ask('client_credentials', 'shop', {});
  await ask('client_credentials', 'shop-jwt', {});
  const { refresh_token = '' } = await ask('password', 'web', alice);
  await ask('refresh_token', 'web', { refresh_token });
  await refusal('refresh_token', 'web', { refresh_token });
  t.strictSame(issued, [
    'client_credentials opaque',
    'client_credentials jwt',
    'password opaque',
    'refresh_token opaque',
  ]);
  const other = await exchange(t);
  await other.ask('authorization_code', 'web', other.redeeming(await other.code()));
  t.strictSame(other.issued, ['authorization_code opaque']);
});

t.test('a wrong password, a missing password and an excessive scope are refused', async (t) => {
  const { refusal } = await exchange(t, withPassword(['password']));
  t.match(await refusal('password', 'web', { ...alice, password: 'x' }), { code: 'invalid_grant' });
  t.match(await refusal('password', 'web', { username: 'alice' }), {
    description: 'The parameter password is missing.',
  });
  t.match(await refusal('password', 'web', { password: 'x' }), { description: 'The parameter username is missing.' });
  t.match(await refusal('password', 'web', { ...alice, scope: 'admin' }), { code: 'invalid_scope' });
  t.match(await refusal('password', 'web', { ...alice, resource: 'https://x.example' }), { code: 'invalid_target' });
});

t.test(
  'a password that changes during the request gives no tokens, and a key that changes leads to a retry',
  async (t) => {
    const { refusal, overtake, ask, service } = await exchange(t, withPassword(['password']));
    overtake({ saveTokens: async () => 'outdated' });
    t.match(await refusal('password', 'web', alice), {
      code: 'invalid_grant',
      detail: 'the password changed during the request',
    });
    let asked = 0;
    const { saveTokens } = service.records;
    overtake({
      saveTokens: (...all: Parameters<typeof saveTokens>) =>
        asked++ === 0 ? Promise.resolve('rekeyed' as const) : saveTokens.apply(service.records, all),
    });
    t.ok(await ask('password', 'web', alice));
    t.equal(asked, 2);
  },
);
