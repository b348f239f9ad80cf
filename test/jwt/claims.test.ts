import t from 'tap';
import { issuerMismatch } from '../../src/jwt/claim-mismatches.ts';
import { judgeClaims } from '../../src/jwt/claims.ts';
import { isTime, livesLonger } from '../../src/jwt/times.ts';

const now = 1_700_000_000;
const sound = {
  iss: 'https://auth.example.com',
  sub: 'alice',
  aud: 'https://api.example.com',
  exp: now + 60,
  iat: now,
  nbf: now,
};
const judged = (claims: object) =>
  judgeClaims({ ...sound, ...claims }, { issuer: sound.iss, now, skew: 30, maxLifetime: 86_400 });
const judge = (claims: object) => judged(claims)?.code;

t.test('valid claims pass', async (t) => {
  t.equal(judge({}), undefined);
  t.equal(judge({ aud: ['a', 'b'], nbf: undefined, iat: undefined, sub: undefined }), undefined);
  t.equal(judge({ aud: undefined }), undefined, 'the route judges an absent audience');
});

t.test('the issuer is compared byte by byte', async (t) => {
  for (const iss of [
    'https://auth.example.com/',
    'https://AUTH.example.com',
    'https://auth.example.co',
    undefined,
    null,
    1,
    ['https://auth.example.com'],
  ]) {
    t.equal(judge({ iss }), 'token_issuer', String(iss));
  }
});

t.test('the issuer may be any of several', async (t) => {
  for (const iss of ['a', 'b']) t.equal(issuerMismatch(iss, ['a', 'b']), undefined, iss);
  t.match(issuerMismatch('c', ['a', 'b']), { claim: 'iss', found: '"c"' });
});

t.test('times are compared to the second, with the skew', async (t) => {
  t.equal(judge({ exp: now - 29 }), undefined);
  t.equal(judge({ exp: now - 30 }), 'token_expired');
  t.equal(judge({ nbf: now + 30 }), undefined);
  t.equal(judge({ nbf: now + 31 }), 'token_not_yet_valid');
  t.equal(judge({ iat: now + 30 }), undefined);
  t.equal(judge({ iat: now + 31 }), 'token_not_yet_valid');
  t.equal(judge({ exp: now + 0.5 }), undefined, 'a fraction is a number');
});

t.test('claims of a wrong type are refused', async (t) => {
  const wrong = [
    { exp: undefined },
    { exp: null },
    { exp: String(now + 60) },
    { exp: Number.POSITIVE_INFINITY },
    { exp: [now + 60] },
    { exp: true },
    { nbf: String(now) },
    { nbf: null },
    { iat: {} },
    { iat: 'now' },
    { sub: 1 },
    { sub: null },
    { aud: 1 },
    { aud: [1] },
    { aud: {} },
    { aud: null },
  ];
  for (const claims of wrong) t.equal(judge(claims), 'token_malformed', JSON.stringify(claims));
});

t.test('T34, T35: a token that is bound to a key is not a bearer token', async (t) => {
  for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, {}, null]) t.equal(judge({ cnf }), 'token_bound');
});

t.test('a security event or a logout token is not an access token', async (t) => {
  for (const events of [{ 'http://schemas.openid.net/event/backchannel-logout': {} }, {}])
    for (const exp of [now + 60, undefined]) t.equal(judge({ events, exp }), 'token_type');
  const mismatch = { claim: 'events', found: 'a security event', expected: 'none' };
  t.match(judged({ events: {} }), { detail: 'events', mismatch });
  for (const events of [undefined, null, 'concerts', ['concerts']]) t.equal(judge({ events }), undefined);
});

t.test('a token may live no longer than allowed, plus the skew, from its iat or else from now', async (t) => {
  const day = 86_400;
  t.equal(judge({ exp: now + day + 30 }), undefined);
  t.equal(judge({ exp: now + day + 31 }), 'token_lifetime');
  t.equal(judge({ iat: now - 100, exp: now + day - 70 }), undefined);
  t.equal(judge({ iat: now - 100, exp: now + day - 69 }), 'token_lifetime');
  t.equal(judge({ iat: undefined, exp: now + day + 30 }), undefined);
  t.equal(judge({ iat: undefined, exp: now + day + 31 }), 'token_lifetime');
  t.notOk(livesLonger({ exp: now + 60, iat: now }, now, 60), 'to the second');
  t.notOk(livesLonger({ exp: '9', iat: now }, now, 0), 'what is no time ends nothing');
});

t.test('the log says which claim was wrong, and how', async (t) => {
  const details: readonly [claims: object, detail: string][] = [
    [{ exp: 'x' }, 'exp is not a number'],
    [{ nbf: 'x' }, 'nbf is not a number'],
    [{ iat: 'x' }, 'iat is not a number'],
    [{ sub: 1 }, 'sub is not a string'],
    [{ aud: ['a', 1] }, 'aud is neither a string nor a list of strings'],
    [{ nbf: now + 31 }, 'nbf'],
    [{ iat: now + 31 }, 'iat'],
  ];
  const rules = { issuer: sound.iss, now, skew: 30, maxLifetime: 86_400 };
  for (const [claims, detail] of details) t.equal(judgeClaims({ ...sound, ...claims }, rules)?.detail, detail);
});

t.test('a NumericDate is a finite number', async (t) => {
  for (const value of [0, -1, 1.5]) t.ok(isTime(value), String(value));
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, true]) t.notOk(isTime(value));
});

const mismatch = (claims: object) =>
  judgeClaims({ ...sound, ...claims }, { issuer: sound.iss, now, skew: 30, maxLifetime: 86_400 })?.mismatch;

t.test('a wrong issuer is reported with the right one, and the difference', async (t) => {
  const expected = '"https://auth.example.com"';
  const slash = { claim: 'iss', found: '"https://auth.example.com/"', expected };
  t.strictSame(mismatch({ iss: `${sound.iss}/` }), { ...slash, difference: 'differs only by a slash at the end' });
  t.equal(mismatch({ iss: 'https://Auth.example.com' })?.difference, 'differs only by upper and lower case');
  t.equal(mismatch({ iss: 'http://auth.example.com' })?.difference, 'differs only by http and https');
  t.strictSame(mismatch({ iss: 'https://evil.example' }), { claim: 'iss', found: '"https://evil.example"', expected });
  t.strictSame(mismatch({ iss: undefined }), { claim: 'iss', found: 'none', expected });
  t.strictSame(mismatch({ iss: { a: 1 } }), { claim: 'iss', found: 'an object', expected });
});

t.test('a wrong time is reported with how far it is off, the clock and the skew', async (t) => {
  t.strictSame(mismatch({ exp: now - 6_600 }), {
    claim: 'exp',
    found: '2023-11-14T20:23:20Z',
    expected: 'later than 2023-11-14T22:12:50Z',
    difference: 'expired 1 h 50 min ago; now 2023-11-14T22:13:20Z, skew 30 s',
  });
  t.strictSame(mismatch({ nbf: now + 600 }), {
    claim: 'nbf',
    found: '2023-11-14T22:23:20Z',
    expected: '2023-11-14T22:13:50Z or earlier',
    difference: 'begins 10 min from now; now 2023-11-14T22:13:20Z, skew 30 s',
  });
  t.match(mismatch({ iat: now + 86_400 }), { claim: 'iat', difference: /^was issued 1 d from now; now / });
  t.strictSame(mismatch({ exp: now + 90_000 }), {
    claim: 'exp',
    found: '1 d 1 h from iat to exp',
    expected: 'at most 1 d',
  });
  t.match(mismatch({ exp: 1e300, iat: undefined }), { found: /from now to exp$/ });
  t.match(mismatch({ nbf: 1e300 }), { found: '1e+300' }, 'a time that no calendar has');
});

t.test('a matching claim is not reported, and neither is one without a report', async (t) => {
  t.equal(mismatch({}), undefined);
  t.strictSame(judgeClaims({ ...sound, cnf: {} }, { issuer: sound.iss, now, skew: 30, maxLifetime: 86_400 }), {
    kind: 'refused',
    code: 'token_bound',
  });
});
