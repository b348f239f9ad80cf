import { createHash } from 'node:crypto';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { hashApiKey, hmacApiKey } from '../../../src/http-auth/api-key.ts';
import { formatBasic } from '../../../src/http-auth/basic.ts';
import { storedHash, userHash } from '../../../src/http-auth/digest-response.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { headOf } from '../head.ts';
import { opening, sealKey, storeOfUsers } from './opened.ts';
import { answer, offerOf, present, user } from './presenting.ts';
import { firstTaken, gatewayOf, gatewayWith, routeWith } from './taken.ts';

const now = 1_700_000_000;
const sha1 = (password: string) => `{SHA}${createHash('sha1').update(password).digest('base64')}`;
const made = (id: string, hash: string) => ({
  id,
  hash,
  client: 'meter-7',
  scopes: ['read'],
  expiresAt: undefined,
  createdAt: now,
});

t.test('a Basic user is checked with the password in the store', async (t) => {
  const { storage, records } = await storeOfUsers(t);
  await records.addImportedPassword({ username: 'alice', passwordHash: sha1('wonderland'), changedAt: now });
  const { open } = opening(t);
  const [basic] = open(gatewayWith('basic', { users: { storage }, allow_insecure: true, realm: 'own' })).of(0);
  const tell = async (name: string, password: string) => basic?.verify(present(formatBasic(name, password)));
  t.match(await tell('Alice', 'wonderland'), { kind: 'verified', identity: { issuer: 'basic:own', subject: 'alice' } });
  t.match(await tell('alice', 'x'), { kind: 'refused', code: 'password_wrong' });
  t.match(await tell('bob', 'wonderland'), { kind: 'refused', code: 'password_wrong' });
});

t.test('a Digest user is checked with the hash in the store for the realm, opened with its key', async (t) => {
  const { storage, records } = await storeOfUsers(t);
  const hashOf = (realm: string) => ({
    realm,
    username: user.username,
    changedAt: now,
    hashes: [
      {
        algorithm: 'SHA-256',
        ha1: storedHash('SHA-256', user.username, realm, user.password),
        userhash: userHash('SHA-256', user.username, realm),
      },
    ],
  });
  await records.setDigestUser(hashOf('meters'));
  const { open } = opening(t);
  const tell = async (realm: string, keys: readonly string[], userhash = false) => {
    const users = { storage, encryption_keys: keys };
    const [digest] = open(gatewayWith('digest', { realm, users })).of(0);
    const offer = offerOf(digest?.challenges(headOf(), false) ?? []);
    const verdict = await digest?.verify(answer(offer, { login: { userhash } }));
    return verdict?.kind === 'refused' ? verdict.code : verdict?.kind;
  };
  t.equal(await tell('meters', [sealKey]), 'verified');
  t.equal(await tell('meters', [sealKey], true), 'verified', 'by the hash of the name too');
  t.equal(await tell('other', [sealKey]), 'password_wrong', 'another realm has no such user');
  t.equal(await tell('meters', [Buffer.alloc(32, 8).toString('base64')]), 'outage', 'another key opens nothing');
});

t.test('a key is found in the store by its hash, or by its HMAC if the block has the secret', async (t) => {
  const { storage, records } = await storeOfUsers(t);
  const secret = Buffer.alloc(32, 9);
  await records.addApiKeys([
    made('k1', `sha256:${hashApiKey(Buffer.from('by-hash'))}`),
    made('k2', `hmac:${hmacApiKey(secret, Buffer.from('by-hmac'))}`),
  ]);
  const { open } = opening(t);
  const tell = async (key: string, block: object) => {
    const [scheme] = open(gatewayWith('api_key', { keys: { storage }, ...block }, { realm: 'file' })).of(0);
    const verdict = await scheme?.verify(present(key));
    return verdict?.kind === 'verified'
      ? `${verdict.identity.claims.key_id} ${verdict.identity.issuer}`
      : verdict?.kind;
  };
  const hmac_key = secret.toString('base64');
  t.equal(await tell('by-hash', {}), 'k1 api_key:file');
  t.equal(await tell('by-hash', { hmac_key, realm: 'own' }), 'k1 api_key:own');
  t.equal(await tell('by-hmac', { hmac_key }), 'k2 api_key:file');
  t.equal(await tell('by-hmac', {}), 'refused');
});

t.test('all routes with the same kind of users share one store, also after a reload', async (t) => {
  const gone = { storage: `sqlite:${temporaryFolder(t)}/none.db` };
  const other = { storage: `sqlite:${temporaryFolder(t)}/none.db` };
  const basic = (id: string, users: object) => routeWith(id, 'basic', { users, allow_insecure: true, realm: id });
  const { open, logged } = opening(t);
  const opened = async (routes: readonly object[]) => {
    const { schemes, of } = open(gatewayOf(routes));
    for (const index of routes.keys()) of(index);
    await schemes.start();
    return schemes.faults().length;
  };
  t.equal(await opened([basic('a', gone), basic('b', gone)]), 1);
  t.equal(await opened([basic('a', gone), basic('b', other)]), 2);
  t.equal(await opened([basic('a', gone), routeWith('b', 'api_key', { keys: gone })]), 2);
  const failures = logged().filter(({ msg }) => msg === 'cannot ask the database of users');
  t.strictSame(
    failures.map(({ users }) => users),
    ['basic', 'basic', 'api_key'],
    'what stays over a reload is told once',
  );
});

t.test('doctor reads each store of users, and shows no password of it', async (t) => {
  const storage = 'postgresql://gateway:secret@db.example/users';
  const blocks: Readonly<Record<string, object>> = {
    digest: { realm: 'd', users: { storage, encryption_keys: [sealKey] } },
    basic: { users: { storage }, allow_insecure: true },
    api_key: { keys: { storage } },
  };
  for (const [kind, block] of Object.entries(blocks)) {
    const { row, block: parsed } = firstTaken(gatewayWith(kind, block));
    const told = row.dependencies(parsed).map(({ look, ...rest }) => rest);
    const encryptionKeys = kind === 'digest' ? [sealKey] : undefined;
    t.strictSame(told, [
      {
        key: { kind, storage, encryptionKeys },
        about: `users of ${kind} postgresql://gateway:******@db.example/users`,
        remedy:
          'copy `storage` from the file of the authorization service; if `users` has `encryption_keys`, copy these keys too',
      },
    ]);
    t.strictSame(row.dependencies({ users: '/users', keys: '/keys' }), [], 'a file is read with the configuration');
  }
});

t.test('the check of a store of users fails if it is unavailable, or no key opens its hashes', async (t) => {
  const { storage } = await storeOfUsers(t);
  const look = async (block: object) => {
    const { row, block: parsed } = firstTaken(gatewayWith('digest', { realm: 'd', ...block }));
    const opened = new AsyncDisposableStack();
    const around = { clock: systemClock, directory: '/', opened };
    try {
      for (const dependency of row.dependencies(parsed)) await dependency.look(around);
      return 'well';
    } catch (error) {
      return (error as Error).name;
    } finally {
      await opened.disposeAsync();
    }
  };
  t.equal(await look({ users: { storage, encryption_keys: [sealKey] } }), 'well');
  const wrong = await look({ users: { storage: `sqlite:${temporaryFolder(t)}/none.db`, encryption_keys: [sealKey] } });
  t.match(wrong, /^Storage/);
  t.match(await look({ users: { storage } }), /^Storage/, 'there is no key');
});
