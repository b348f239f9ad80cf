import t from 'tap';
import { claimConditions } from '../../../src/gateway/decide/claim-conditions.ts';
import { identityOf } from '../../../src/gateway/verify/facts.ts';

const source = { issuer: 'https://issuer.example', server: 'main', scopeClaims: ['scope'] };
const captured = { host: { tenant: 'acme' }, path: { id: '7' } };

function holds(conditions: object, claims: Record<string, unknown>): boolean {
  return claimConditions(conditions as Parameters<typeof claimConditions>[0])(identityOf(claims, source), captured);
}

t.test('equals, one_of and contains compare whole values, with their type', async (t) => {
  t.ok(holds({ tier: { equals: 'gold' } }, { tier: 'gold' }));
  t.notOk(holds({ tier: { equals: 'gold' } }, { tier: 'Gold' }));
  t.ok(holds({ level: { equals: 3 } }, { level: 3 }));
  t.notOk(holds({ level: { equals: 3 } }, { level: '3' }));
  t.ok(holds({ tenant: { one_of: ['acme', 'globex'] } }, { tenant: 'globex' }));
  t.notOk(holds({ tenant: { one_of: ['acme'] } }, { tenant: ['acme'] }));
  t.ok(holds({ groups: { contains: 'admin' } }, { groups: ['user', 'admin'] }));
  t.notOk(holds({ groups: { contains: 'admin' } }, { groups: 'superadmin' }), 'a text is no list');
});

t.test('an absent claim fails every condition, and all conditions must be true', async (t) => {
  t.notOk(holds({ tenant: { equals: 'host.other' } }, {}));
  t.notOk(holds({ a: { equals: 1 }, b: { equals: 2 } }, { a: 1 }));
});

t.test('host.NAME and path.NAME are what the match captured', async (t) => {
  t.ok(holds({ tenant: { equals: 'host.tenant' } }, { tenant: 'acme' }));
  t.ok(holds({ owner: { one_of: ['path.id', 'root'] } }, { owner: '7' }));
  t.notOk(holds({ tenant: { equals: 'host.tenant' } }, { tenant: 'host.tenant' }));
});

t.test('a captured value that servers may cut or split elsewhere equals no claim', async (t) => {
  const at = (id: string) => ({ host: {}, path: { id } });
  for (const id of ['a/b', 'a?b', 'a#b', 'a\u0009', '/']) {
    const judge = claimConditions({ owner: { one_of: ['path.id'] } });
    t.notOk(judge(identityOf({ owner: id }, source), at(id)), JSON.stringify(id));
    const member = claimConditions({ owners: { contains: 'path.id' } });
    t.notOk(member(identityOf({ owners: [id] }, source), at(id)), JSON.stringify(id));
  }
});

t.test('an email address is compared whole (advisory 19)', async (t) => {
  t.notOk(holds({ email: { equals: 'a@good.example' } }, { email: 'a@evil.example@good.example' }));
});

t.test('a nested claim is found by its path, one with dots in its name by its name', async (t) => {
  t.ok(holds({ 'realm.region': { equals: 'eu' } }, { realm: { region: 'eu' } }));
  t.ok(holds({ 'https://x.example/tier': { equals: 1 } }, { 'https://x.example/tier': 1 }));
  t.notOk(holds({ 'realm.constructor.name': { equals: 'Object' } }, { realm: {} }), 'only own members');
});

t.test('only the whole text host.NAME or path.NAME means a capture, and only as text', async (t) => {
  for (const text of ['xhost.tenant', 'host.tenant.', 'host.tenant x', 'host.', 'path.7'])
    t.ok(holds({ tenant: { equals: text } }, { tenant: text }), text);
  t.notOk(holds({ tenant: { equals: ['host.tenant'] } } as object, { tenant: 'acme' }), 'a list is no text');
});

t.test('a path ends at a value that is not an object', async (t) => {
  for (const value of ['text', 7, null, undefined, true])
    t.notOk(holds({ 'realm.length': { equals: 4 } }, { realm: value }), String(value));
  t.ok(holds({ 'realm.0': { equals: 'a' } }, { realm: ['a'] }), 'a list has its places');
});
