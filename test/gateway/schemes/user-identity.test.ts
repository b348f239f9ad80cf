import t from 'tap';
import { userIdentities } from '../../../src/gateway/schemes/user-identity.ts';

const identityOf = userIdentities({ scheme: 'basic', realm: 'r', scopes: { alice: 'read write', bob: '' } });

t.test('a user is named by the realm, with the scope of the file', async (t) => {
  t.strictSame(identityOf('alice'), {
    scheme: 'basic',
    issuer: 'basic:r',
    server: '',
    subject: 'alice',
    clientId: undefined,
    scopes: new Set(['read', 'write']),
    audience: undefined,
    expiresAt: undefined,
    notBefore: undefined,
    claims: { sub: 'alice' },
  });
});

t.test('a user without an entry has no scope, whatever names objects inherit', async (t) => {
  for (const name of ['bob', 'mallory', 'constructor', '__proto__', 'toString'])
    t.strictSame([...identityOf(name).scopes], [], name);
});

t.test('one user is one identity, of one realm', async (t) => {
  t.equal(identityOf('alice'), identityOf('alice'));
  t.not(userIdentities({ scheme: 'basic', realm: 's', scopes: {} })('alice').issuer, identityOf('alice').issuer);
});
