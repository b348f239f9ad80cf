import t from 'tap';
import { type Facts, identityOf, narrow } from '../../../src/gateway/verify/facts.ts';
import type { VerificationKey } from '../../../src/jwt/keys.ts';

const source = { issuer: 'https://auth.example.com', server: 'main', scopeClaims: ['scope'] };

const cases: readonly (readonly [claims: Record<string, unknown>, client: string | undefined])[] = [
  [{ client_id: 'a', azp: 'b', cid: 'c', appid: 'd' }, 'a'],
  [{ appid: 'd', cid: 'c', azp: 'b' }, 'b'],
  [{ appid: 'd', cid: 'c' }, 'c'],
  [{ appid: 'd' }, 'd'],
  [{ client_id: 7, azp: 'b' }, undefined],
  [{ sub: 'alice' }, undefined],
];

t.test('the client is named by client_id (RFC 9068 §2.2), or by the claims of older servers', async (t) => {
  for (const [claims, client] of cases) t.equal(identityOf(claims, source).clientId, client, JSON.stringify(claims));
});

t.test('claims become an identity; a value of another type is absent', async (t) => {
  const claims = { sub: 'alice', aud: 'a', exp: 9, nbf: 3, scope: ' a  b ', scp: ['c', 7, 'a'], n: { roles: ['r'] } };
  const scopeClaims = ['scope', 'scp', 'n.roles', 'none'];
  t.strictSame(identityOf(claims, { ...source, scopeClaims }), {
    scheme: 'bearer',
    issuer: 'https://auth.example.com',
    server: 'main',
    subject: 'alice',
    clientId: undefined,
    scopes: new Set(['a', 'b', 'c', 'r']),
    audience: ['a'],
    expiresAt: 9,
    notBefore: 3,
    claims,
  });
  t.match(identityOf({ sub: 7, exp: '9', nbf: null, scope: 7 }, source), {
    subject: undefined,
    audience: undefined,
    expiresAt: undefined,
    notBefore: undefined,
    scopes: new Set(),
  });
  t.strictSame(identityOf({ aud: ['a', 'b'] }, source).audience, ['a', 'b']);
});

const facts = (claims: Record<string, unknown>, more: Partial<Facts> = {}): Facts => ({
  kind: 'facts',
  identity: identityOf(claims, source),
  jwt: true,
  key: undefined,
  asked: false,
  freshFor: 5,
  staleFor: 6,
  leeway: 7,
  ...more,
});

t.test(
  "of the token's and its server's statements the narrower counts; without a statement the token's counts",
  async (t) => {
    const key = { alg: 'ES256', kid: 'k', id: 'i' } as VerificationKey;
    const token = facts({ scope: 'a b', aud: ['x', 'y'], exp: 10, nbf: 2, sub: 'alice' }, { key });
    const answer = (claims: Record<string, unknown>) =>
      narrow(token, facts(claims, { jwt: false, asked: true, freshFor: 1, leeway: 0 }), ['scope']);
    const silent = answer({});
    t.match(silent.identity, { scopes: new Set(['a', 'b']), audience: ['x', 'y'], expiresAt: 10, notBefore: 2 });
    t.match(silent, { jwt: true, key, asked: true, freshFor: 1, leeway: 0 });
    t.strictSame(answer({ scope: 'b c' }).identity.scopes, new Set(['b']));
    t.strictSame(answer({ scope: '' }).identity.scopes, new Set());
    t.strictSame(answer({ aud: 'y' }).identity.audience, ['y']);
    t.match(answer({ exp: 9, nbf: 3 }).identity, { expiresAt: 9, notBefore: 3 });
    t.match(answer({ exp: 11, nbf: 1 }).identity, { expiresAt: 10, notBefore: 2 });
    t.equal(answer({ sub: 'bob' }).identity.subject, 'alice');
    const bare = narrow(facts({}), facts({ nbf: 3, aud: 'x' }), ['scope']).identity;
    t.match(bare, { notBefore: 3, audience: undefined, expiresAt: Number.POSITIVE_INFINITY });
  },
);

t.test('a text that is not a scope-token does not count, in a list or in a text', async (t) => {
  const scopes = (scope: unknown) => [...identityOf({ scope } as never, source).scopes];
  t.strictSame(scopes(['read', 'my admin', '', ' admin', 'admin ', 'a\tb', 'a"b', 'a\\b', 'é', 'x:y/z']), [
    'read',
    'x:y/z',
  ]);
  t.strictSame(scopes('read a\tb a"b é x:y'), ['read', 'x:y']);
  t.strictSame(scopes('  read   write '), ['read', 'write']);
});
