import { sha256 } from '../../../src/base/secret.ts';
import { account, client, isAlive, minted, now, type Rule, saveCode, session, tally, times } from './samples.ts';

const alice = { subject: 's-alice', passwordDigest: sha256('old') };
const premises = { filePassword: { subject: 's-alice', digest: alice.passwordDigest } };

export const fileUserRules: readonly Rule[] = [
  [
    'users of the file are added once, and do not change',
    async (t, records) => {
      await records.addFileUsers([alice, { ...alice, subject: 's-bob' }]);
      await records.addFileUsers([{ ...alice, passwordDigest: sha256('other') }]);
      const known = await records.listFileUsers();
      t.strictSame(
        known.map(({ subject, passwordDigest }) => [subject, Buffer.from(passwordDigest).toString('hex')]),
        ['s-alice', 's-bob'].map((subject) => [subject, alice.passwordDigest.toString('hex')]),
      );
    },
  ],
  [
    "no client gets an id that is a user's subject, and no user gets a subject that is a client's id",
    async (t, records) => {
      await records.addFileUsers([alice]);
      await records.addAccount(account('bob'));
      const taken = ['s-alice', 's-bob', 's-carol'].map((id) => records.addClient(client(id)));
      t.strictSame(await Promise.all(taken), [false, false, true]);
      t.equal(await records.addAccount(account('carol')), false);
      t.equal(await records.addAccount(account('dave')), true);
    },
  ],
  [
    'another password in the file ends sessions, codes and grants, once for any number of simultaneous starts',
    async (t, records) => {
      await records.addFileUsers([alice]);
      await records.saveSession(session('a'), premises);
      await saveCode(records, 'code');
      await records.saveTokens(minted('a'), premises);
      await records.saveTokens(minted('b', { subject: 's-bob' }));
      const change = { subject: 's-alice', passwordDigest: sha256('new'), now, keysUntil: undefined };
      t.equal(await records.changeFileUser({ ...change, passwordDigest: alice.passwordDigest }), false, 'the same');
      t.equal(await isAlive(records, 'access a'), true);
      t.strictSame(tally(await Promise.all(times(10, () => records.changeFileUser(change)))), { true: 1, false: 9 });
      t.strictSame([await isAlive(records, 'access a'), await isAlive(records, 'access b')], [false, true]);
      t.equal(await records.findSession(sha256('a'), now), undefined);
      t.equal(await records.findCode(sha256('code')), undefined);
      t.match(await records.listEvents(0, 9), [{ kind: 'gid', key: 'a' }]);
      t.equal(await records.changeFileUser({ ...change, subject: 's-nobody' }), false);
    },
  ],
  [
    'nothing is saved that depends on the old password of the file, or on a user who was removed from it',
    async (t, records) => {
      t.equal(await records.saveSession(session('early'), premises), 'outdated');
      await records.addFileUsers([alice]);
      t.equal(await records.saveSession(session('a'), premises), 'saved');
      await records.changeFileUser({ ...alice, passwordDigest: sha256('new'), now });
      t.equal(await records.saveSession(session('b'), premises), 'outdated');
      t.equal(await records.saveTokens(minted('b'), premises), 'outdated');
      const next = { filePassword: { subject: 's-alice', digest: sha256('new') } };
      t.equal(await records.saveTokens(minted('c'), next), 'saved');
      t.strictSame(
        [await records.removeFileUser({ subject: 's-alice', now }), await records.removeFileUser({ ...alice, now })],
        [true, false],
      );
      t.equal(await isAlive(records, 'access c'), false);
      t.equal(await records.saveSession(session('d'), next), 'outdated');
      t.strictSame(await records.listFileUsers(), []);
    },
  ],
];
