import { createHmac } from 'node:crypto';
import t from 'tap';
import { pairwiseName } from '../../../src/authorization/openid/pairwise-name.ts';
import { random } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { signedIn } from '../browser/walk.ts';
import { exchangeCode, rival, rivalOrigin, runSession, type SessionAnswer, session } from '../session-flow.ts';

const secret = Buffer.alloc(32, 7);

t.test('an openid is HMAC-SHA256 over the length of the sector, the sector and sub', async (t) => {
  const input = Buffer.concat([Buffer.from([0, 0, 0, 4]), Buffer.from('minialice')]);
  const expected = createHmac('sha256', secret).update(input).digest('base64url');
  t.equal(pairwiseName(secret, { sector: 'mini', subject: 'alice' }), expected);
});

t.test('for random clients and users: an openid is stable, and no two of them share one', async (t) => {
  const dice = random(4);
  const names = Array.from({ length: 40 }, () => dice.text('0123456789abcdef', 1 + dice.below(8)));
  const distinct = [...new Set(['', 'a', 'aa', 'ü', ...names])];
  const openids = new Map<string, string>();
  for (const sector of distinct)
    for (const subject of distinct) {
      const openid = pairwiseName(secret, { sector, subject });
      t.equal(pairwiseName(secret, { sector, subject }), openid);
      t.equal(openids.get(openid), undefined, JSON.stringify([sector, subject, openids.get(openid)]));
      openids.set(openid, JSON.stringify([sector, subject]));
    }
  t.not(
    pairwiseName(Buffer.alloc(32), { sector: 'a', subject: 'b' }),
    pairwiseName(secret, { sector: 'a', subject: 'b' }),
  );
});

t.test('the openid of a user differs between clients and between users, and survives a restart', async (t) => {
  const directory = temporaryFolder(t);
  const before = await runSession(t, { directory });
  const alice = (await session(before)).openid;
  const bob = (await session(before, { username: 'bob', password: 'builder' })).openid;
  const page = await (await signedIn(before)).post(
    '/oauth2/session/code',
    { client_id: rival.id },
    { origin: rivalOrigin },
  );
  const { code } = JSON.parse(page.body) as { code: string };
  const elsewhere = ((await (await exchangeCode(before, code, rival)).json()) as SessionAnswer).openid;
  t.equal(new Set([alice, bob, elsewhere]).size, 3);
  await before.stop();
  t.equal((await session(await runSession(t, { directory }))).openid, alice);
});
