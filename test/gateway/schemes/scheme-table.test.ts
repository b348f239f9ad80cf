import t from 'tap';
import { blocksOf } from '../../../src/config/schema/http-schemes.ts';
import { identityOfKey } from '../../../src/gateway/schemes/api_key/key-identity.ts';
import { schemeNamed, schemesTaken } from '../../../src/gateway/schemes/schemes-of.ts';
import { schemes } from '../../../src/gateway/schemes/table.ts';
import { userIdentities } from '../../../src/gateway/schemes/user-identity.ts';
import { gatewayOf } from './taken.ts';

t.test('an identity is described by the users or the key by which it was verified', async (t) => {
  for (const scheme of ['basic', 'digest'] as const) {
    const alice = userIdentities({ scheme, realm: 'meters', scopes: {} })('alice');
    t.equal(schemes[scheme].describe(alice), `verified as a user of ${scheme}:meters`);
  }
  const client = { client: 'meter-7', scopes: [], expiresAt: undefined };
  t.equal(schemes.api_key.describe(identityOfKey('meters', client)), 'verified by a key of api_key:meters');
  const keyed = identityOfKey('meters', { ...client, id: 'k1' });
  t.equal(schemes.api_key.describe(keyed), 'verified by a key of api_key:meters (key id k1)');
});

t.test('uses are counted only for Digest, and a decision about a key may not be cached', async (t) => {
  const rows = Object.entries(schemes).map(([name, { countsUses, isRevoked }]) => [name, countsUses, isRevoked]);
  t.strictSame(rows, [
    ['basic', false, undefined],
    ['api_key', false, true],
    ['digest', true, undefined],
  ]);
});

t.test('a scheme is found only by its name in the file', async (t) => {
  for (const [name, row] of Object.entries(schemes)) t.equal(schemeNamed(name), row, name);
  for (const name of ['bearer', 'Basic', '', 'toString', 'constructor']) t.equal(schemeNamed(name), undefined, name);
});

t.test('a route accepts the schemes that `auth` names and that have a block, strongest first', async (t) => {
  const storage = 'sqlite:/none/gatehouse.db';
  const blocks = {
    basic: { users: { storage }, allow_insecure: true },
    api_key: { keys: { storage }, in: 'query', name: 'Key' },
    digest: { realm: 'd', users: { storage } },
  };
  const auth = { any_of: ['basic', 'api_key', 'digest'] };
  const { routes } = gatewayOf([{ match: { path: '/a' }, access: 'authenticated', auth, ...blocks }]);
  const [route] = routes;
  if (route === undefined) return t.fail('no route');
  const taken = schemesTaken(route);
  t.strictSame(
    taken.map(({ name, row, places }) => [name, row === schemes[name as 'basic'], places]),
    [
      ['digest', true, undefined],
      ['api_key', true, [{ in: 'query', name: 'Key' }]],
      ['basic', true, undefined],
    ],
  );
  const own = new Map(blocksOf(route).map(({ name, block }) => [name as string, block]));
  for (const { name, block } of taken) t.equal(block, own.get(name));
  t.strictSame(schemesTaken({ ...route, auth: 'basic' }).length, 1);
  t.strictSame(schemesTaken({ ...route, digest: undefined }).length, 2, 'a name without a block takes nothing');
  t.strictSame(schemesTaken({ ...route, auth: undefined }), [], 'without `auth` a route takes tokens alone');
});
