import t, { type Test } from 'tap';
import type { GrantType } from '../../src/config/schema/authorization.ts';
import { answered, authorizePath, decide, logIn, openTab, runFront, signedIn, type Tab } from './browser/walk.ts';
import { redeem, type TokenAnswer } from './grant-flow.ts';
import { basic, configuration, passwordHash, type Running, web } from './running-service.ts';

const now = () => Math.floor(Date.now() / 1000);
const carol = { subject: 'c-1', username: 'carol', name: undefined, claims: {}, createdAt: now() };

async function withCarol(t: Test) {
  const clients = configuration().clients.map((client) =>
    client.client_id === 'web'
      ? { ...client, grant_types: [...client.grant_types, 'password'] as GrantType[] }
      : client,
  );
  const service = await runFront(t, { config: { clients, login: { max_failures: 1000, window: 60_000 } } });
  const { passwords, records } = service.service;
  const hashed = await passwords.hash('correct horse');
  if (hashed.kind !== 'hashed') throw new Error(hashed.kind);
  await records.addAccount({ ...carol, passwordHash: hashed.phc });
  const change = () => records.setPassword({ username: 'carol', passwordHash: passwordHash('battery'), now: now() });
  return { service, change };
}

const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Many logins: 8 s, and 32 s on two cores that other programs use. */
t.setTimeout(120_000);

t.test('a login that is in progress when the password changes signs nobody in', async (t) => {
  const { service, change } = await withCarol(t);
  const tabs = Array.from({ length: 6 }, () => openTab(service));
  const logins = tabs.map(async (tab) => logIn(tab, await tab.get('/oauth2/account'), 'carol', 'correct horse'));
  await after(60);
  await change();
  const statuses = (await Promise.all(logins)).map(({ status }) => status);
  t.ok(statuses.includes(403), `${statuses}`);
  t.strictSame(await service.service.records.listSessions('c-1', now()), []);
});

t.test('a password grant that is in progress when the password changes gives no valid token', async (t) => {
  const { service, change } = await withCarol(t);
  const form = { grant_type: 'password', username: 'carol', password: 'correct horse' };
  const asked = Array.from({ length: 6 }, () => service.post('/oauth2/token', form, basic(web)));
  await after(60);
  await change();
  for (const answer of await Promise.all(asked)) {
    const { access_token } = (await answer.json()) as TokenAnswer;
    if (answer.status === 200) t.equal((await service.introspect(access_token)).active, false);
    else t.equal(answer.status, 400);
  }
});

async function codesUnderWay(tab: Tab): Promise<string[]> {
  const path = authorizePath({ prompt: 'none', scope: 'orders.read' });
  const answers = await Promise.all(Array.from({ length: 30 }, () => tab.get(path)));
  return answers.flatMap((page) => answered(page).code ?? []);
}

async function liveTokens(service: Running, codes: readonly string[]): Promise<number> {
  let live = 0;
  for (const code of codes) {
    const answer = await redeem(service, code);
    if (answer.status !== 200) continue;
    const { access_token } = (await answer.json()) as TokenAnswer;
    if ((await service.introspect(access_token)).active) live++;
  }
  return live;
}

t.test('a code that is in progress when the application is disconnected is invalid', async (t) => {
  const { service } = await withCarol(t);
  const tab = await signedIn(service, 'carol', 'correct horse');
  for (let round = 0; round < 5; round++) {
    await decide(tab, await tab.get(authorizePath({ scope: 'orders.read' })), ['orders.read']);
    const codes = codesUnderWay(tab);
    await after(round * 4);
    await service.service.records.disconnectApp({ subject: 'c-1', clientId: 'web', now: now() });
    t.equal(await liveTokens(service, await codes), 0);
  }
});

t.test('a code that is in progress when the password changes is invalid', async (t) => {
  for (let round = 0; round < 3; round++) {
    const { service, change } = await withCarol(t);
    const tab = await signedIn(service, 'carol', 'correct horse');
    await decide(tab, await tab.get(authorizePath({ scope: 'orders.read' })), ['orders.read']);
    const codes = codesUnderWay(tab);
    await after(round * 6);
    await change();
    t.equal(await liveTokens(service, await codes), 0);
  }
});

t.test('a stronger hash of the same password ends nothing', async (t) => {
  const { service } = await withCarol(t);
  const before = await service.service.accounts.find('carol');
  await service.service.records.rehashPassword('c-1', before?.passwordHash ?? '', passwordHash('correct horse'));
  const after = await service.service.accounts.find('carol');
  t.not(after?.passwordHash, before?.passwordHash);
  t.equal(after?.passwordVersion, before?.passwordVersion);
});
