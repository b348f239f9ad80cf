import t, { type Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sessionName, sessionOf, signedIn } from './browser/walk.ts';
import { code, codeRecord, redeem, refresh, type TokenAnswer, tokens } from './grant-flow.ts';
import { basic, configuration, passwordHash, type Running, type RunOptions, run, web } from './running-service.ts';

const bob = { subject: 'bob', username: 'bob' };
const webJwt = { id: 'web-jwt', secret: web.secret };

/** The users of the file, with another password for bob, or without bob. */
function usersWith(hash: string | undefined) {
  const { users } = configuration();
  if (hash === undefined) return users.filter(({ username }) => username !== 'bob');
  return users.map((user) => (user.username === 'bob' ? { ...user, password_argon2: hash } : user));
}

async function mayLogIn(service: Running, username: string, password: string): Promise<boolean> {
  const tab = await signedIn(service, username, password).catch(() => undefined);
  return tab !== undefined && /name="csrf"/.test((await tab.get('/oauth2/account')).body);
}

/** What a user has before the service starts again with another file. */
async function have(service: Running, who: { subject: string; username: string }, password: string) {
  const tab = await signedIn(service, who.username, password);
  return {
    cookie: `${sessionName(tab)}=${sessionOf(tab)}`,
    opaque: await tokens(service, who),
    jwt: await tokens(service, who, webJwt),
    code: await code(service, who),
  };
}

/** Which of them are valid: session, code, then active and refreshed for each pair. */
async function alive(service: Running, had: Awaited<ReturnType<typeof have>>): Promise<boolean[]> {
  const page = await fetch(`${service.url}/oauth2/account`, { headers: { cookie: had.cookie } });
  const pairs: [TokenAnswer, typeof web][] = [
    [had.opaque, web],
    [had.jwt, webJwt],
  ];
  const lives = [/name="csrf"/.test(await page.text()), (await redeem(service, had.code)).status === 200];
  for (const [pair, client] of pairs) {
    lives.push((await service.introspect(pair.access_token)).active === true);
    lives.push((await refresh(service, pair.refresh_token, {}, client)).status === 200);
  }
  return lives;
}

/** Bob and alice log in. Then the service starts again on the same store, with these users. */
async function startedAgain(t: Test, users: ReturnType<typeof usersWith>, config: RunOptions['config'] = {}) {
  const directory = temporaryFolder(t);
  const before = await run(t, { directory, config });
  const [his, hers] = [
    await have(before, bob, 'builder'),
    await have(before, { subject: 'alice', username: 'alice' }, 'wonderland'),
  ];
  await before.stop();
  const service = await run(t, { directory, config: { ...config, users } });
  return { service, his, hers };
}

const NOTHING = [false, false, false, false, false, false];
const ALL = [true, true, true, true, true, true];

for (const user_keys of [false, true])
  t.test(`a changed password in the file ends everything of its user, user keys ${user_keys}`, async (t) => {
    const users = usersWith(passwordHash('mason'));
    const { service, his, hers } = await startedAgain(t, users, { signing: { user_keys } });
    t.strictSame(await alive(service, his), NOTHING);
    t.strictSame(await alive(service, hers), ALL, 'and nothing of anybody else');
    t.match(service.logged(), /"password_set".*"sub":"bob".*"in the file"/);
    t.strictSame([await mayLogIn(service, 'bob', 'builder'), await mayLogIn(service, 'bob', 'mason')], [false, true]);
  });

t.test(
  'a user who was removed from the file keeps nothing, and a later user with that name gets nothing',
  async (t) => {
    const directory = temporaryFolder(t);
    const first = await run(t, { directory });
    const his = await have(first, bob, 'builder');
    const consent = { subject: 'bob', clientId: 'web', asked: ['orders.read'], granted: ['orders.read'], grantedAt: 1 };
    const granted = codeRecord('with consent', Math.floor(Date.now() / 1000), bob);
    await first.service.records.saveCode({ code: granted, consent, transaction: undefined });
    await first.stop();
    const without = await run(t, { directory, config: { users: usersWith(undefined) } });
    t.match(without.logged(), /"user_removed".*"sub":"bob".*"from the file"/);
    t.strictSame(await alive(without, his), NOTHING);
    await without.stop();
    const again = await run(t, { directory });
    t.strictSame(await alive(again, his), NOTHING);
    t.equal(await again.service.records.findConsent('bob', 'web'), undefined);
  },
);

t.test('a restart with the same passwords ends nothing, also with plaintext passwords for development', async (t) => {
  const { service, his } = await startedAgain(t, usersWith(passwordHash('builder')));
  t.strictSame(await alive(service, his), ALL);
  const directory = temporaryFolder(t);
  const plain = configuration().users.map(({ password_argon2, ...user }) => ({ ...user, password: 'builder' }));
  const before = await run(t, { directory, config: { users: plain } });
  const had = await have(before, bob, 'builder');
  await before.stop();
  t.strictSame(await alive(await run(t, { directory, config: { users: plain } }), had), ALL);
  const other = plain.map((user) => ({ ...user, password: 'mason' }));
  t.notOk((await alive(await run(t, { directory, config: { users: other } }), had)).includes(true));
});

t.test('a service with the old file no longer accepts the old password, and its restart ends nothing', async (t) => {
  const directory = temporaryFolder(t);
  const clients = configuration().clients.map((client) =>
    client.client_id === 'web' ? { ...client, grant_types: [...client.grant_types, 'password' as const] } : client,
  );
  const behind = await run(t, { directory, config: { clients } });
  t.equal(await mayLogIn(behind, 'bob', 'builder'), true);
  const users = usersWith(passwordHash('mason'));
  const ahead = await run(t, { directory, config: { clients, users } });
  t.equal(await mayLogIn(behind, 'bob', 'builder'), false);
  const form = { grant_type: 'password', username: 'bob', password: 'builder' };
  const answer = await behind.post('/oauth2/token', form, basic(web));
  t.match(await answer.json(), { error: 'invalid_grant' });
  t.equal(await mayLogIn(behind, 'alice', 'wonderland'), true, 'of others it does');
  const his = await have(ahead, bob, 'mason');
  await behind.stop();
  t.strictSame(await alive(await run(t, { directory, config: { clients, users } }), his), ALL);
});
