import t from 'tap';
import { userStore } from '../../../src/gateway/schemes/user-store.ts';
import { StorageUnavailable } from '../../../src/storage/lookup/read.ts';
import type { DigestWanted, UserFacts, UserKind } from '../../../src/storage/lookup/users.ts';
import { settableClock } from '../../support/settable-clock.ts';

const key = { id: 'ghk_1', hash: '', client: 'meter', scopes: [], expiresAt: undefined, createdAt: 1 };

function open(changes: Partial<UserFacts> = {}, kind: UserKind = 'digest') {
  const seen: string[] = [];
  const facts: UserFacts = {
    findDigest: async ({ name }) => ({ username: name, ha1: `digest of ${name}` }),
    findPassword: async (username) => ({ username, passwordHash: `hash of ${username}` }),
    findApiKey: async ({ sha256 }) => ({ ...key, hash: sha256 }),
    samplePasswords: async () => [],
    ping: async (kind) => void seen.push(`ping ${kind}`),
    close: async () => void seen.push('closed'),
    ...changes,
  };
  const faults = { failed: (detail: string) => void seen.push(detail), recovered: () => void seen.push('well') };
  return { seen, store: userStore(facts, { kind, clock: settableClock(), faults, costFaults: faults }) };
}

const w = { block: 'w', share: 1 };
const wanted: DigestWanted = { realm: 'r', algorithm: 'MD5', name: 'alice', isHashed: false };

t.test('a store is queried for digests and for passwords, and each result is cached by its whole query', async (t) => {
  const { store } = open();
  t.match(await store.findDigest(wanted, w), { kind: 'found', user: { ha1: 'digest of alice' } });
  t.notOk(store.findDigest(wanted, w) instanceof Promise, 'remembered');
  const others: readonly DigestWanted[] = [
    { ...wanted, algorithm: 'SHA-256' },
    { ...wanted, isHashed: true },
    { ...wanted, realm: 'ra', name: 'lice' },
    { ...wanted, name: 'bob' },
  ];
  for (const other of others) t.ok(store.findDigest(other, w) instanceof Promise, JSON.stringify(other));
  t.match(await store.findPassword('alice', w), { kind: 'found', user: { passwordHash: 'hash of alice' } });
  t.notOk(store.findPassword('alice', w) instanceof Promise);
});

t.test('an API key is cached by both of its hashes', async (t) => {
  const { store } = open();
  t.match(await store.findApiKey({ sha256: 'a' }, w), { kind: 'found', user: { hash: 'a' } });
  t.notOk(store.findApiKey({ sha256: 'a' }, w) instanceof Promise, 'remembered');
  for (const other of [{ sha256: 'b' }, { sha256: 'a', hmac: 'b' }])
    t.ok(store.findApiKey(other, w) instanceof Promise, JSON.stringify(other));
});

t.test('a store is read once however often it is started, and closed with its reader', async (t) => {
  const { store, seen } = open();
  t.notOk(store.tried());
  await Promise.all([store.start(), store.start()]);
  t.strictSame(seen, ['ping digest', 'well']);
  t.ok(store.tried() && store.usable());
  await store.close();
  t.equal(seen.at(-1), 'closed');
});

t.test('an unavailable store is reported, and is not usable', async (t) => {
  const ping = async () => {
    throw new StorageUnavailable('gone');
  };
  const { store, seen } = open({ ping });
  await store.start();
  t.ok(store.tried());
  t.notOk(store.usable());
  t.strictSame(seen, ['gone']);
  await store.close();
});

const sha1 = '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=';

t.test('a store of passwords learns their costs when it is started, and from each user who is found', async (t) => {
  const apr1 = '$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1';
  const samplePasswords = async () => [sha1];
  const findPassword = async (username: string) =>
    username === 'nobody' ? undefined : { username, passwordHash: apr1 };
  const { store } = open({ samplePasswords, findPassword }, 'basic');
  const kinds = () =>
    [...new Set(Array.from({ length: 200 }, (_, n) => store.decoyOf(`name-${n}`)?.kind))].sort().join();
  await store.start();
  t.equal(kinds(), 'sha1');
  t.strictSame(await store.findPassword('nobody', w), { kind: 'unknown' });
  t.equal(kinds(), 'sha1', 'a name that nobody has tells no cost');
  await store.findPassword('alice', w);
  t.equal(kinds(), 'apr1,sha1');
  await store.close();
});

t.test('a store of other users reads no password', async (t) => {
  for (const kind of ['digest', 'api_key'] as const) {
    let read = 0;
    const samplePasswords = async () => {
      read += 1;
      return [sha1];
    };
    const { store } = open({ samplePasswords }, kind);
    await store.start();
    t.equal(read, 0, kind);
    await store.close();
  }
});
