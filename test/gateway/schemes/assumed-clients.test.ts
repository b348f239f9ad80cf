import { basename, dirname } from 'node:path';
import t, { type Test } from 'tap';
import { assumedClients } from '../../../src/gateway/schemes/api_key/assumed-clients.ts';
import { hashApiKey } from '../../../src/http-auth/api-key.ts';
import { userFile } from '../../support/user-files.ts';
import { assumedOf } from './taken.ts';

const hash = (key: string) => `sha256:${hashApiKey(Buffer.from(key))}`;
const lines = [
  `k1 ${hash('1')} meter-7 2020-01-31 read`,
  `k2 ${hash('2')} meter-7 9999-01-31 write`,
  `k3 ${hash('3')} meter-7 - read write`,
  `k4 ${hash('4')} meter-8 2020-01-31T12:00:00Z read`,
  `k5 ${hash('5')} meter-8 2021-01-31 other`,
  // the name of this client is the id of another client's key
  `k6 ${hash('6')} k1 - admin`,
];

/** The clients of this file, whose name is relative. */
function clientsOf(t: Test, text = `${lines.join('\n')}\n`) {
  const file = userFile(t, text);
  return assumedClients(basename(file), 'meters', dirname(file));
}

t.test('a client is assumed with its first key that has not expired', async (t) => {
  const { identityOf, refusalOf } = clientsOf(t);
  t.match(identityOf('meter-7'), {
    scheme: 'api_key',
    issuer: 'api_key:meters',
    subject: 'meter-7',
    scopes: new Set(['write']),
    claims: { key_id: 'k2' },
  });
  t.equal(refusalOf?.('meter-7'), undefined);
});

t.test('a key is assumed by its id, before any client with that name', async (t) => {
  const { identityOf, refusalOf } = clientsOf(t);
  t.match(identityOf('k3'), { subject: 'meter-7', claims: { key_id: 'k3' }, scopes: new Set(['read', 'write']) });
  t.equal(refusalOf?.('k3'), undefined);
  t.match(identityOf('k1'), { subject: 'meter-7', claims: { key_id: 'k1' } });
  t.match(refusalOf?.('k1'), { code: 'api_key_expired', detail: 'key k1, at 2020-01-31T00:00:00Z' });
});

t.test('a client whose keys have all expired is refused because of the first', async (t) => {
  const { identityOf, refusalOf } = clientsOf(t);
  t.match(identityOf('meter-8'), { claims: { key_id: 'k4' }, scopes: new Set(['read']) });
  t.strictSame(refusalOf?.('meter-8'), {
    kind: 'refused',
    code: 'api_key_expired',
    detail: 'key k4, at 2020-01-31T12:00:00Z',
  });
});

t.test('a client that is not in the file is assumed without a scope and without a key', async (t) => {
  const file = userFile(t, `${lines.join('\n')}\n`);
  const unread = [
    clientsOf(t),
    clientsOf(t, `${lines[2]}\nthis is no line of a key\n`),
    assumedClients(file, 'meters', undefined),
    assumedClients(undefined, 'meters', dirname(file)),
  ];
  for (const [index, { identityOf, refusalOf }] of unread.entries()) {
    const name = index === 0 ? 'meter-9' : 'meter-7';
    const identity = identityOf(name);
    t.match(identity, { subject: name, expiresAt: undefined, scopes: new Set() });
    t.strictSame(identity.claims, { sub: name, client_id: name });
    t.equal(refusalOf?.(name), undefined);
  }
});

t.test('an assumed key has the challenge of its block, and a wrong one the code of keys', async (t) => {
  const keys = userFile(t, `${lines.join('\n')}\n`);
  const inHeader = assumedOf('api_key', { keys }, '/', { realm: 'file' });
  t.strictSame(inHeader.challenges(), ['ApiKey realm="file", header="X-API-Key"']);
  t.equal(inHeader.wrong, 'api_key_invalid');
  t.match(inHeader.identityOf('meter-7'), { issuer: 'api_key:file', claims: { key_id: 'k2' } });
  const inQuery = assumedOf('api_key', { keys, realm: 'own', in: 'query', name: 'key' }, '/', { realm: 'file' });
  t.strictSame(inQuery.challenges(), ['ApiKey realm="own", query="key"']);
  t.match(inQuery.identityOf('meter-7'), { issuer: 'api_key:own' });
  const stored = assumedOf('api_key', { keys: { storage: 'sqlite:/none/gatehouse.db' } }, '/');
  t.strictSame(stored.identityOf('meter-7').claims, { sub: 'meter-7', client_id: 'meter-7' }, 'a store is not asked');
});
