import t from 'tap';
import { activeAnswer, type KnownToken } from '../../src/oauth/introspection.ts';

const token: KnownToken = {
  clientId: 'shop',
  subject: 'u1',
  username: 'alice',
  scope: 'orders.read',
  audience: ['https://api.example.com'],
  claims: { tenant: 'acme' },
  grantId: 'g1',
  authTime: 1_799_999_000,
  issuedAt: 1_800_000_000,
  expiresAt: 1_800_000_060,
};
const issuer = 'https://auth.example.com';

t.test('an active token is answered with the members of RFC 7662 and its own claims', async (t) => {
  t.strictSame(activeAnswer(token, issuer), {
    tenant: 'acme',
    active: true,
    scope: 'orders.read',
    client_id: 'shop',
    username: 'alice',
    token_type: 'Bearer',
    exp: 1_800_000_060,
    iat: 1_800_000_000,
    sub: 'u1',
    aud: 'https://api.example.com',
    iss: issuer,
    gid: 'g1',
    auth_time: 1_799_999_000,
  });
});

t.test('an absent value has no member', async (t) => {
  const answer = activeAnswer({ ...token, username: undefined, grantId: undefined, authTime: undefined }, issuer);
  for (const name of ['username', 'gid', 'auth_time']) t.notOk(Object.hasOwn(answer, name), name);
});

t.test('several audiences are a list, a single one is a string', async (t) => {
  const audience = ['https://a.example.com', 'https://b.example.com'];
  t.strictSame(activeAnswer({ ...token, audience }, issuer).aud, audience);
  t.strictSame(activeAnswer({ ...token, audience: [] }, issuer).aud, []);
});

t.test('a claim of the token never replaces a member that says whether it is active', async (t) => {
  const claims = { active: false, client_id: 'other', sub: 'u2', iss: 'https://evil.example', exp: 1, scope: 'admin' };
  t.match(activeAnswer({ ...token, claims }, issuer), {
    active: true,
    client_id: 'shop',
    sub: 'u1',
    iss: issuer,
    exp: 1_800_000_060,
    scope: 'orders.read',
  });
});
