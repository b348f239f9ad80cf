import t from 'tap';
import { requiredClaimMismatch } from '../../../src/gateway/verify/required-claims.ts';

t.test('every required claim has one of its values, and is a text', async (t) => {
  const required = { token_use: ['access'], 'act.kind': ['user', 'app'] };
  t.equal(requiredClaimMismatch({ token_use: 'access', act: { kind: 'app' } }, required), undefined);
  t.equal(requiredClaimMismatch({}, {}), undefined);
  for (const claims of [
    {},
    { token_use: 'access' },
    { token_use: 'id', act: { kind: 'app' } },
    { token_use: ['access'], act: { kind: 'app' } },
    { token_use: 'Access', act: { kind: 'app' } },
  ])
    t.ok(requiredClaimMismatch(claims, required), JSON.stringify(claims));
});

t.test("the token's value in place of a required one is not reported", async (t) => {
  const required = { 'act.kind': ['user', 'app'] };
  t.strictSame(requiredClaimMismatch({ act: { kind: 'hidden-word' } }, required), {
    claim: 'act.kind',
    found: 'another value',
    expected: '"user" or "app"',
  });
  t.match(requiredClaimMismatch({}, required), { found: 'none' });
});
