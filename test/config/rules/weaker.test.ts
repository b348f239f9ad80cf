import t from 'tap';
import { isWeaker, type Servers } from '../../../src/config/rules/weaker.ts';
import { impliersIn } from '../../../src/config/words/implied-scopes.ts';

type Asked = Parameters<typeof isWeaker>[0];

const servers: Servers = { main: { audience: 'api' }, other: { audience: 'api' }, loose: {} };
const basic = (users: string) => ({
  auth: 'basic' as const,
  scope: 'a',
  basic: { users, allow_insecure: false, scopes: {} },
});

const rules: readonly [weaker: Asked, than: Asked, is: boolean][] = [
  [{ access: 'public' }, { scope: 'a' }, true],
  [{ access: 'public' }, { access: 'optional' }, true],
  [{ access: 'optional' }, { access: 'authenticated' }, true],
  [{ access: 'authenticated' }, { access: 'optional' }, false],
  [{ scope: 'a' }, { access: 'public' }, false],
  [{ access: 'authenticated' }, { scope: 'a' }, true],
  [{ scope: 'a' }, { access: 'authenticated' }, false],
  [{ scope: 'a' }, { scope: 'a' }, false],
  [{ scope: 'a b' }, { scope: 'b' }, false],
  [{ scope: 'a' }, { scope: 'a b' }, true],
  [{ scope: 'a' }, { scope: 'b' }, true],
  [{ scope: 'a' }, { scope: { any_of: ['b', 'a'] } }, false],
  [{ scope: { any_of: ['a', 'b'] } }, { scope: 'a' }, true],
  [{ scope: { any_of: ['a c', 'b c'] } }, { scope: 'c' }, false],
  [{ scope: { all_of: ['a', 'b'] } }, { scope: 'a b' }, false],
  [{ scope: 'a' }, { scope: { all_of: ['a', 'b'] } }, true],
  [{ scope: 'a' }, { scope: 'a', claims: { tenant: { equals: 'x' } } }, true],
  [{ scope: 'a', claims: { tenant: { equals: 'x' } } }, { scope: 'a', claims: { tenant: { equals: 'x' } } }, false],
  [{ scope: 'a', claims: { tenant: { equals: 'y' } } }, { scope: 'a', claims: { tenant: { equals: 'x' } } }, true],
  [{ scope: 'a', claims: { tenant: { equals: 'x' } } }, { scope: 'a' }, false],
  [{ scope: 'a' }, { scope: 'a', origins: ['https://a.example'] }, true],
  [{ scope: 'a', origins: ['https://a.example'] }, { scope: 'a' }, false],
  [{ scope: 'a', origins: [] }, { scope: 'a', origins: ['https://a.example'] }, false],
  [{ scope: 'a', origins: ['https://A.example'] }, { scope: 'a', origins: ['https://a.example'] }, false],
  [{ scope: 'a', origins: ['https://b.example'] }, { scope: 'a', origins: ['https://a.example'] }, true],
  [{ scope: 'a' }, { scope: 'a', when: 'true' }, true],
  [{ scope: 'a', when: 'true' }, { scope: 'a', when: 'true' }, false],
  [{ scope: 'a', when: 'true' }, { scope: 'a' }, false],
  [{ scope: 'a' }, { scope: 'a', audience: 'admin' }, true],
  [{ scope: 'a', audience: 'admin' }, { scope: 'a' }, true],
  [{ scope: 'a', audience: 'any' }, { scope: 'a', audience: 'admin' }, true],
  [{ scope: 'a', audience: 'admin' }, { scope: 'a', audience: 'any' }, false],
  [{ scope: 'a', audience: 'admin' }, { scope: 'a', audience: 'admin' }, false],
  [{ scope: 'a', authorization_servers: ['main'], audience: 'api' }, { scope: 'a' }, false],
  [{ scope: 'a', authorization_servers: ['main'] }, { scope: 'a' }, false],
  [{ scope: 'a' }, { scope: 'a', authorization_servers: ['main'] }, true],
  [
    { scope: 'a', authorization_servers: ['other', 'main', 'loose'] },
    { scope: 'a', authorization_servers: ['loose', 'main', 'other'] },
    false,
  ],
  [{ scope: 'a', authorization_servers: ['loose'] }, { scope: 'a', authorization_servers: ['main'] }, true],
  [{ scope: 'a', authorization_servers: ['loose'] }, { scope: 'a', audience: 'api' }, true],
  [{ scope: 'a', audience: 'api' }, { scope: 'a' }, false],
  [basic('staff'), { scope: 'a' }, true],
  [{ scope: 'a' }, basic('staff'), true],
  [basic('staff'), basic('staff'), false],
  [basic('guests'), basic('staff'), true],
  [basic('staff'), { ...basic('staff'), auth: { any_of: ['bearer', 'basic'] } }, false],
  [{ ...basic('staff'), auth: { any_of: ['bearer', 'basic'] } }, basic('staff'), true],
  [basic('staff'), { ...basic('staff'), audience: 'admin' }, false],
];

t.test('a rule is weaker if it accepts a request that the other refuses', async (t) => {
  for (const [rule, other, is] of rules)
    t.equal(
      isWeaker(rule, other, { servers, impliersOf: impliersIn({}) }),
      is,
      `${JSON.stringify(rule)} beside ${JSON.stringify(other)}`,
    );
});

t.test('a rule for a scope is not weaker than a rule for a scope that it implies', async (t) => {
  const impliersOf = impliersIn({ admin: { implies: ['write'] }, write: { implies: ['read'] } });
  const weaker = (mine: string, theirs: string) =>
    isWeaker({ scope: mine }, { scope: theirs }, { servers, impliersOf });
  for (const [mine, theirs, is] of [
    ['write', 'read', false],
    ['admin', 'read', false],
    ['admin', 'write read', false],
    ['read', 'write', true],
    ['read', 'admin', true],
    ['write', 'read other', true],
  ] as const)
    t.equal(weaker(mine, theirs), is, `${mine} beside ${theirs}`);
});
