import t from 'tap';
import { carries } from '../../../src/gateway/verify/required-claims.ts';

t.test('every required claim has one of its values, and is a text', async (t) => {
  const required = { token_use: ['access'], 'act.kind': ['user', 'app'] };
  t.ok(carries({ token_use: 'access', act: { kind: 'app' } }, required));
  t.ok(carries({}, {}));
  for (const claims of [
    {},
    { token_use: 'access' },
    { token_use: 'id', act: { kind: 'app' } },
    { token_use: ['access'], act: { kind: 'app' } },
    { token_use: 'Access', act: { kind: 'app' } },
  ])
    t.notOk(carries(claims, required), JSON.stringify(claims));
});
