import t from 'tap';
import { bearerChallenge, isB64Token, parseBearer } from '../../src/http-auth/bearer.ts';

t.test('a b64token is letters, digits and -._~+/, with = at its end only (RFC 6750 §2.1)', async (t) => {
  for (const text of ['a', 'AZaz09-._~+/', 'a=', 'a==', 'a===']) t.ok(isB64Token(text), text);
  for (const text of ['', '=', '=a', 'a=b', 'a b', ' a', 'a ', 'a\n', 'a,', '"a"', 'a%', 'é'])
    t.notOk(isB64Token(text), JSON.stringify(text));
});

t.test('the scheme is read in any case, and one token follows after any number of spaces', async (t) => {
  const token = { kind: 'token', token: 'aB.c' };
  for (const value of ['Bearer aB.c', 'bearer aB.c', 'BEARER    aB.c']) t.strictSame(parseBearer(value), token, value);
});

t.test('Bearer with anything else after it is malformed, not another scheme', async (t) => {
  for (const value of [
    'Bearer',
    'Bearer ',
    'bearer\ta',
    'Bearer \ta',
    'Bearer a b',
    'Bearer a ',
    'Bearer "a"',
    'Bearer a,b',
  ])
    t.strictSame(parseBearer(value), { kind: 'malformed' }, JSON.stringify(value));
});

t.test('text that does not begin with the word Bearer is another scheme', async (t) => {
  for (const value of [
    '',
    'a',
    'Bearer1 a',
    'Bearer,a',
    'Beare r',
    'Basic Bearer a',
    ' Bearer a',
    'Bearer-x a',
    'Token a',
  ])
    t.strictSame(parseBearer(value), { kind: 'other' }, JSON.stringify(value));
});

t.test('a challenge has its realm, and the known other parameters, quoted and in this order', async (t) => {
  t.equal(bearerChallenge({ realm: 'api' }), 'Bearer realm="api"');
  const challenge = bearerChallenge({
    errorDescription: 'why "so"',
    error: 'insufficient_scope',
    resourceMetadata: 'https://a.example/m',
    scope: 'a b',
    realm: 'api',
  });
  t.equal(
    challenge,
    'Bearer realm="api", scope="a b", resource_metadata="https://a.example/m", error="insufficient_scope", error_description="why \\"so\\""',
  );
});
