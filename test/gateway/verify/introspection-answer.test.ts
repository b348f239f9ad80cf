import t from 'tap';
import { judgeAnswer } from '../../../src/gateway/verify/introspection-answer.ts';

const now = 1_700_000_000;
const rules = { issuer: 'https://auth.example.com', now, skew: 30, maxLifetime: 3600 };
const whole = {
  active: true,
  scope: 'a b',
  client_id: 'shop',
  username: 'alice',
  token_type: 'Bearer',
  sub: 'alice',
  iss: 'https://auth.example.com',
  jti: 'x',
  exp: now + 60,
  iat: now,
  nbf: now,
  aud: ['a', 'b'],
};

/** In a word. */
function told(changes: object, base: object = whole): string {
  const judged = judgeAnswer({ ...base, ...changes }, rules);
  if (judged.kind === 'refused') return judged.code;
  return judged.kind === 'babble' ? judged.detail : judged.kind;
}

t.test('an active answer without a fault is valid, however little it contains', async (t) => {
  t.equal(told({}), 'active');
  t.equal(told({}, { active: true }), 'active');
  t.equal(told({ token_type: 'bEaReR' }), 'active');
  t.equal(told({ other: 7 }), 'active', 'members of its own');
});

t.test('an inactive token is inactive, whatever else the answer contains', async (t) => {
  t.equal(told({ active: false }), 'token_inactive');
  t.equal(told({ active: false, exp: 'x', iss: 'y' }), 'token_inactive');
});

t.test('a member of the wrong type makes the answer invalid (RFC 7662 §2.2)', async (t) => {
  t.equal(told({}, {}), 'no active member');
  for (const active of ['true', 1, null, undefined]) t.equal(told({ active }), 'active is of the wrong type');
  for (const name of ['scope', 'client_id', 'username', 'token_type', 'sub', 'iss', 'jti'])
    for (const value of [7, null, ['a']]) t.equal(told({ [name]: value }), `${name} is of the wrong type`, name);
  for (const name of ['exp', 'iat', 'nbf'])
    for (const value of ['7', null, Number.POSITIVE_INFINITY])
      t.equal(told({ [name]: value }), `${name} is of the wrong type`);
  for (const aud of [7, null, ['a', 7]]) t.equal(told({ aud }), 'aud is of the wrong type');
});

t.test('issuer, binding and kind of the token are checked', async (t) => {
  t.equal(told({ iss: 'https://auth.example.com/' }), 'token_issuer');
  for (const cnf of [{}, null, { jkt: 'x' }]) t.equal(told({ cnf }), 'token_bound');
  t.equal(told({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }), 'token_type');
  for (const token_type of ['DPoP', 'mac', '']) t.equal(told({ token_type }), 'token_type', token_type);
});

t.test('its times are checked to the second: the end is exact, the beginning has the skew', async (t) => {
  t.equal(told({ exp: now + 1 }), 'active');
  t.equal(told({ exp: now }), 'token_expired');
  t.equal(told({ nbf: now + 30 }), 'active');
  t.equal(told({ nbf: now + 31 }), 'token_not_yet_valid');
  t.equal(told({ exp: now + 3630 }), 'active');
  t.equal(told({ exp: now + 3631 }), 'token_lifetime');
  t.equal(told({ iat: now - 10, exp: now + 3620 }), 'active');
  t.equal(told({ iat: now - 10, exp: now + 3621 }), 'token_lifetime');
  t.equal(told({}, { active: true, exp: now + 3631 }), 'token_lifetime', 'without iat, from now on');
});
