import t from 'tap';
import { type ApiKeyEntry, parseApiKeys } from '../../../src/config/files/api-keys.ts';
import { identityOfKey } from '../../../src/gateway/schemes/api_key/key-identity.ts';
import { keysOfFile, keysOfStore, sentKey } from '../../../src/gateway/schemes/api_key/known-keys.ts';
import { unknownUser } from '../../../src/gateway/schemes/lookup-result.ts';
import type { UserStore } from '../../../src/gateway/schemes/user-store.ts';
import { hashApiKey, hmacApiKey } from '../../../src/http-auth/api-key.ts';

const secret = Buffer.alloc(32, 7);
const asker = { block: '192.0.2.1', share: 1 };
const octets = (text: string) => Buffer.from(text, 'latin1');
const lines = [
  `ghk_1 sha256:${hashApiKey(octets('by-hash'))} meter-7 - read write`,
  `ghk_2 hmac:${hmacApiKey(secret, octets('by-hmac'))} meter-8 - read`,
];

function entries(): readonly ApiKeyEntry[] {
  const { users, faults } = parseApiKeys(`${lines.join('\n')}\n`);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return users;
}

t.test('a key of a file is found by its hash, and by its HMAC if the secret is known', async (t) => {
  const [plain, keyed] = [keysOfFile(entries(), undefined), keysOfFile(entries(), secret)];
  t.match(await keyed.find(sentKey('by-hash'), asker), { kind: 'found', user: { id: 'ghk_1', client: 'meter-7' } });
  t.match(await keyed.find(sentKey('by-hmac'), asker), { kind: 'found', user: { id: 'ghk_2' } });
  t.match(await plain.find(sentKey('by-hash'), asker), { kind: 'found' });
  t.strictSame(await plain.find(sentKey('by-hmac'), asker), unknownUser);
  for (const keys of [plain, keyed]) t.strictSame(await keys.find(sentKey('other'), asker), unknownUser);
});

t.test('a file without keys of a kind is not searched for that kind', async (t) => {
  const [first] = entries();
  const keys = keysOfFile(first === undefined ? [] : [first], secret);
  t.match(await keys.find(sentKey('by-hash'), asker), { kind: 'found' });
  t.strictSame(await keys.find(sentKey('by-hmac'), asker), unknownUser);
});

t.test('a store is queried with both names of a key, and who asks', async (t) => {
  const asked: unknown[] = [];
  const findApiKey: UserStore['findApiKey'] = (...all) => {
    asked.push(all);
    return unknownUser;
  };
  await keysOfStore({ findApiKey }, secret).find(sentKey('key'), asker);
  await keysOfStore({ findApiKey }, undefined).find(sentKey('key'), asker);
  const sha256 = `sha256:${hashApiKey(octets('key'))}`;
  t.strictSame(asked, [
    [{ sha256, hmac: `hmac:${hmacApiKey(secret, octets('key'))}` }, asker],
    [{ sha256, hmac: undefined }, asker],
  ]);
});

t.test('a key identifies its client, only in its realm', (t) => {
  const identity = identityOfKey('meters', { id: 'ghk_1', client: 'meter-7', scopes: ['read'], expiresAt: 5 });
  t.strictSame(identity, {
    scheme: 'api_key',
    issuer: 'api_key:meters',
    server: '',
    subject: 'meter-7',
    clientId: 'meter-7',
    scopes: new Set(['read']),
    audience: undefined,
    expiresAt: 5,
    notBefore: undefined,
    claims: { sub: 'meter-7', client_id: 'meter-7', key_id: 'ghk_1' },
  });
  const assumed = identityOfKey('meters', { client: 'meter-7', scopes: [], expiresAt: undefined });
  t.strictSame(assumed.claims, { sub: 'meter-7', client_id: 'meter-7' });
  t.end();
});
