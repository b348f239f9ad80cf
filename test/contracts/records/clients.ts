import { sha256 } from '../../../src/base/secret.ts';
import type { ClientSecretRecord, Records } from '../../../src/storage/records/records.ts';
import {
  accessToken,
  claim,
  client,
  code,
  isAlive,
  minted,
  now,
  plain,
  type Rule,
  saveCode,
  sessionKey,
  tally,
  times,
} from './samples.ts';

const secret = (text: string, changes: Partial<ClientSecretRecord> = {}): ClientSecretRecord => ({
  hash: sha256(text),
  createdAt: now,
  expiresAt: undefined,
  ...changes,
});

async function live(records: Records, at: number): Promise<unknown> {
  const found = await records.findClient('shop', at);
  return found?.secrets.map(({ hash }) => Buffer.from(hash).toString('hex'));
}

const hashes = (...texts: string[]) => texts.map((text) => sha256(text).toString('hex'));

const selfRegistered = (id: string) =>
  client(id, {
    secrets: [secret(`secret of ${id}`)],
    registration: { tokenHash: sha256('token'), usedAt: now },
  });

export const clientRules: readonly Rule[] = [
  [
    'a client is found as it was registered',
    async (t, records) => {
      const shop = client('shop', { metadata: { redirect_uris: ['https://shop.example/back'], ü: null } });
      const app = client('app', { secrets: [], createdAt: now + 1 });
      t.equal(await records.addClient(shop), true);
      t.equal(await records.addClient(app), true);
      t.strictSame(plain(await records.findClient('shop', now)), plain(shop));
      t.strictSame(plain(await records.listClients(now)), plain([shop, app]));
      t.equal(await records.findClient('Shop', now), undefined);
    },
  ],
  [
    "an id is given once, even to many callers at once, and with no other client's secret",
    async (t, records) => {
      const add = (index: number) => records.addClient(client('shop', { secrets: [secret(`secret ${index}`)] }));
      const outcomes = await Promise.all(times(20, add));
      t.strictSame(tally(outcomes), { true: 1, false: 19 });
      t.strictSame(await live(records, now), hashes(`secret ${outcomes.indexOf(true)}`));
    },
  ],
  [
    'after a rotation the old secret stays valid for its time, and at most two are valid',
    async (t, records) => {
      await records.addClient(client('shop', { secrets: [secret('s1', { createdAt: now - 10 })] }));
      const rotate = (text: string, oldUntil: number, at: number) =>
        records.rotateClientSecret({ id: 'shop', secret: secret(text, { createdAt: at }), oldUntil, now: at });
      t.equal(await rotate('s2', now + 60, now), true);
      t.strictSame(await live(records, now + 59), hashes('s2', 's1'));
      t.strictSame(await live(records, now + 60), hashes('s2'));
      t.equal(await rotate('s3', now + 90, now), true, 'in the same second');
      t.strictSame(await live(records, now), hashes('s3', 's2'), 'the one before the last ends now');
      t.equal(await rotate('s4', now + 5, now + 5), true);
      t.strictSame(await live(records, now + 5), hashes('s4'), 'an old secret may end at once');
    },
  ],
  [
    'a rotation never extends the secret that it replaces',
    async (t, records) => {
      await records.addClient(client('shop', { secrets: [secret('s1', { expiresAt: now + 10 })] }));
      await records.rotateClientSecret({ id: 'shop', secret: secret('s2'), oldUntil: now + 60, now });
      t.strictSame(await live(records, now + 10), hashes('s2'));
    },
  ],
  [
    'a client that is unknown or public has no secret to rotate',
    async (t, records) => {
      await records.addClient(client('app', { secrets: [] }));
      for (const id of ['app', 'unknown'])
        t.equal(await records.rotateClientSecret({ id, secret: secret(id), oldUntil: now, now }), false);
      t.strictSame((await records.findClient('app', now))?.secrets, []);
    },
  ],
  [
    'after many rotations at once two secrets are left',
    async (t, records) => {
      await records.addClient(client('shop', { secrets: [secret('s', { createdAt: now - 10 })] }));
      const rotate = (index: number) =>
        records.rotateClientSecret({ id: 'shop', secret: secret(`s${index}`), oldUntil: now + 60, now });
      t.strictSame(tally(await Promise.all(times(20, rotate))), { true: 20 });
      t.equal((await records.findClient('shop', now))?.secrets.length, 2);
    },
  ],
  [
    'a registration can be removed alone: what was granted to its id stays',
    async (t, records) => {
      await records.addClient(client('shop'));
      await records.saveAccessToken(accessToken('own'));
      t.equal(await records.unregisterClient('shop'), true);
      t.equal(await records.unregisterClient('shop'), false);
      t.equal(await records.findClient('shop', now), undefined);
      t.equal(await isAlive(records, 'own'), true);
      await records.addClient(client('shop', { secrets: [] }));
      t.strictSame((await records.findClient('shop', now))?.secrets, [], 'who takes the id inherits no secret');
    },
  ],
  [
    'a removed client loses everything that it was granted',
    async (t, records) => {
      await records.addClient(client('shop'));
      const consent = { subject: 's-alice', clientId: 'shop', asked: ['a'], granted: ['a'], grantedAt: now };
      await records.saveCode({ code: code('unused'), consent, transaction: undefined });
      await saveCode(records, 'a');
      await records.redeemCode(claim('a'), minted('a'));
      await records.saveAccessToken(accessToken('own'));
      await records.saveAccessToken(accessToken('of another', { clientId: 'other' }));
      await saveCode(records, 'for key', { use: 'session' });
      await records.redeemSessionCode(claim('for key', { use: 'session' }), sessionKey('key'));
      t.equal(await records.removeClient('shop', now), true);
      t.equal(await records.removeClient('shop', now), false);
      t.equal(await records.findClient('shop', now), undefined);
      t.equal(await records.findConsent('s-alice', 'shop'), undefined);
      t.equal(await records.findCode(sha256('unused')), undefined);
      t.equal(await records.findSessionKey(sha256('key'), now), undefined);
      t.strictSame(await Promise.all(['access a', 'own', 'of another'].map((text) => isAlive(records, text))), [
        false,
        false,
        true,
      ]);
      t.equal(await records.addClient(client('shop', { secrets: [] })), true);
      t.strictSame((await records.findClient('shop', now))?.secrets, [], 'who takes the id inherits no secret');
    },
  ],
  [
    'a client that registered itself is found with its registration, and not among the clients of commands',
    async (t, records) => {
      const own = selfRegistered('own');
      await records.addClient(client('shop'));
      t.equal(await records.addClient(own), true);
      t.equal(await records.addClient(selfRegistered('shop')), false);
      t.strictSame(plain(await records.findClient('own', now)), plain(own));
      t.equal((await records.findClient('shop', now))?.registration, undefined);
      t.strictSame(plain(await records.listClients(now)), plain([client('shop')]));
      t.strictSame(plain(await records.listSelfRegistered(now, 10)), plain([own]));
      t.strictSame(await records.listSelfRegistered(now, 0), []);
    },
  ],
  [
    'only the token of a registration changes it, and a client of a command has none',
    async (t, records) => {
      await records.addClient(client('shop'));
      await records.addClient(selfRegistered('own'));
      const metadata = { client_name: 'New' };
      for (const [id, token] of [
        ['own', 'wrong'],
        ['shop', 'token'],
        ['unknown', 'token'],
      ] as const)
        t.equal(await records.changeRegistration({ id, tokenHash: sha256(token), metadata }), false, id);
      t.equal(await records.changeRegistration({ id: 'own', tokenHash: sha256('token'), metadata }), true);
      t.strictSame((await records.findClient('own', now))?.metadata, metadata);
      t.equal(await records.removeClient('own', now), true);
      t.equal(await records.changeRegistration({ id: 'own', tokenHash: sha256('token'), metadata }), false);
      await records.addClient(client('own'));
      t.equal((await records.findClient('own', now))?.registration, undefined, 'who takes the id inherits no token');
    },
  ],
  [
    'an unused registration is removed, a used one is not, nor one with a grant, nor a client of a command',
    async (t, records) => {
      await records.addClient(client('shop'));
      for (const id of ['unused', 'used', 'granted', 'revoked']) await records.addClient(selfRegistered(id));
      for (const clientId of ['granted', 'revoked']) {
        await saveCode(records, clientId, { clientId });
        await records.redeemCode(claim(clientId, { clientId }), minted(clientId, { clientId }));
      }
      await records.disconnectApp({ subject: 's-alice', clientId: 'revoked', now });
      t.equal(await records.useRegistration('used', now + 50), true);
      t.equal(await records.useRegistration('used', now + 40), false, 'never earlier');
      t.equal(await records.useRegistration('shop', now + 50), false);
      const reap = (limit: number) => records.reapRegistrations({ unusedSince: now + 10, now, limit });
      const first = await reap(1);
      t.equal(first.length, 1);
      t.strictSame([...first, ...(await reap(10))].sort(), ['revoked', 'unused']);
      t.strictSame(await reap(10), []);
      const left = (await records.listSelfRegistered(now, 10)).map(({ id }) => id);
      t.strictSame(left.sort(), ['granted', 'used']);
      t.ok(await records.findClient('shop', now));
      await records.addClient(client('unused', { secrets: [] }));
      t.strictSame((await records.findClient('unused', now))?.secrets, [], 'no secret is left');
    },
  ],
];
