import t from 'tap';
import type { FoundKeys, KeySet } from '../../../src/gateway/server-client/key-set.ts';
import { secretKeySet } from '../../../src/gateway/server-client/secret-key-set.ts';
import { buildVerifyJwt, type JwtRules } from '../../../src/gateway/verify/verify-jwt.ts';
import { parseJwt } from '../../../src/jwt/parse.ts';
import { buildSecretSign } from '../../../src/jwt/sign.ts';
import { heldClock } from '../issuer.ts';

const secret = new Uint8Array(32).fill(7);
const clock = heldClock();
const now = clock.now() / 1000;
const issuer = 'https://auth.example.com';
const settings: JwtRules = {
  issuer,
  server: 'main',
  scopeClaims: ['scope'],
  algorithms: ['HS256'],
  typ: ['application/at+jwt'],
  requiredClaims: {},
  skew: 30_000,
  maxLifetime: 3_600_000,
};
const keySet = secretKeySet(secret, ['HS256']);

async function told(claims: object, rules: Partial<JwtRules> = {}, keys: KeySet = keySet, typ = 'at+jwt') {
  const token = await buildSecretSign(secret)(typ, { iss: issuer, sub: 'alice', iat: now, exp: now + 60, ...claims });
  const parsed = parseJwt(token);
  if (parsed.kind === 'refused') throw new Error('the test is wrong');
  const out = (detail: string) => ({ kind: 'outage', dependency: 'main', retryAfter: 1, detail }) as const;
  return buildVerifyJwt({ ...settings, ...rules }, { keys, clock, out })(parsed);
}

const finding = (found: FoundKeys): KeySet => ({ ...keySet, find: () => found });

t.test('a valid token gives facts until it expires, including the skew', async (t) => {
  const [key] = ((await keySet.find('HS256', undefined)) as Extract<FoundKeys, { kind: 'keys' }>).keys;
  const facts = await told({ scope: 'a' });
  t.match(facts, { kind: 'facts', jwt: true, asked: false, staleFor: 0, leeway: 30_000, freshFor: Infinity });
  t.match(facts, { identity: { subject: 'alice', issuer, server: 'main', scopes: new Set(['a']) } });
  t.equal(facts.kind === 'facts' && facts.key, key);
});

t.test('times are compared in seconds, whatever unit the file uses', async (t) => {
  t.match(await told({ exp: now - 29 }), { kind: 'facts' });
  t.match(await told({ exp: now - 30 }), { code: 'token_expired' });
  t.match(await told({ exp: now + 3630 }), { kind: 'facts' });
  t.match(await told({ exp: now + 3631 }), { code: 'token_lifetime' });
});

t.test('a token without iat is refused only if the server reports the ends of its tokens by their age', async (t) => {
  t.match(await told({ iat: undefined }), { kind: 'facts' });
  t.match(await told({ iat: undefined }, { requiresIssuedAt: false }), { kind: 'facts' });
  t.match(await told({ iat: undefined }, { requiresIssuedAt: true }), {
    code: 'token_malformed',
    detail: 'there is no iat',
  });
  t.match(await told({}, { requiresIssuedAt: true }), { kind: 'facts' });
});

t.test('a refusal names its cause for the log', async (t) => {
  t.match(await told({}, {}, finding({ kind: 'revoked' })), { detail: 'key of a user', cause: 'user_key' });
  t.match(await told({}, { requiredClaims: { tenant: ['acme'] } }), {
    detail: 'required_claims',
    cause: 'required_claims',
  });
});

t.test('typ is a media type that the file allows; a token without one is accepted only with absent', async (t) => {
  t.match(await told({}, { typ: ['AT+JWT'] }), { kind: 'facts' });
  t.match(await told({}, {}, keySet, 'JWT'), { code: 'token_type' });
  t.match(await told({}, { typ: ['absent'] }, keySet, 'absent'), { code: 'token_type' }, 'that name is no typ');
});

t.test('a required claim must have one of its values', async (t) => {
  const requiredClaims = { token_use: ['access', 'm2m'] };
  t.match(await told({ token_use: 'm2m' }, { requiredClaims }), { kind: 'facts' });
  for (const claims of [{}, { token_use: 'id' }, { token_use: ['access'] }])
    t.match(await told(claims, { requiredClaims }), { kind: 'refused', code: 'token_type', detail: 'required_claims' });
});

t.test('no key, a revoked key, a wrong key and unavailable keys are four different results', async (t) => {
  t.match(await told({}, {}, finding({ kind: 'unknown' })), {
    code: 'token_signature',
    detail: 'no such key',
    mismatch: { claim: 'kid', found: 'none', expected: 'a known key, but there is none' },
  });
  t.match(await told({}, {}, finding({ kind: 'revoked' })), { code: 'token_revoked', detail: 'key of a user' });
  t.match(await told({}, {}, finding({ kind: 'out', detail: 'why' })), { kind: 'outage', detail: 'why' });
  const other = await told({}, {}, secretKeySet(new Uint8Array(32), ['HS256']));
  t.match(other, { code: 'token_signature', mismatch: { expected: 'a signature by a key without a kid (HS256)' } });
});

t.test('keys are searched by algorithm, name and subject, and only for a token that is otherwise valid', async (t) => {
  const asked: unknown[] = [];
  const keys: KeySet = {
    ...keySet,
    find(...all) {
      asked.push(all);
      return { kind: 'unknown' };
    },
  };
  await told({}, {}, keys);
  await told({ sub: undefined }, {}, keys);
  for (const claims of [{ exp: now - 60 }, { iss: 'https://other.example' }, { cnf: {} }]) await told(claims, {}, keys);
  t.strictSame(asked, [
    ['HS256', undefined, 'alice'],
    ['HS256', undefined, undefined],
  ]);
});
