import t, { type Test } from 'tap';
import { buildPasswords } from '../../src/base/passwords.ts';
import { computed, longestNormalized, noteCalls } from '../support/computed.ts';
import { settableClock } from '../support/settable-clock.ts';
import { answered, authorizePath, decide, logIn, openTab, runFront, signedIn } from './browser/walk.ts';
import { refresh, refreshed, type TokenAnswer, tokens } from './grant-flow.ts';
import { basic, configuration, type Running, run, shop, web } from './running-service.ts';

/** Combining marks that must be sorted. The time to normalize them grows with the square of their number. */
const marks = '\u0345\u035d\u035c\u0315\u0301\u0316\u031b\u05bf\u05b9\u05b5\u05b1\u0334';

t.test('a name of 60 KiB that is hard to normalize costs no more than any unknown name', async (t) => {
  const service = await run(t);
  const tab = openTab(service);
  // Six bytes in a form for each mark: as large as a form may be.
  const name = `a${[...marks].map((mark) => mark.repeat(900)).join('')}`.slice(0, 10_000);
  const page = await tab.get('/oauth2/account');
  const list = computed(t);
  const normalized = longestNormalized(t);
  noteCalls(t, service.service.records, list);
  const ran = () => list.push('a password is hashed');
  Object.assign(service.service, { passwords: buildPasswords({ ran }) });
  const spent = async (username: string) => {
    list.splice(0);
    normalized();
    t.equal((await logIn(tab, page, username, 'x')).status, 403);
    return { list: list.splice(0), normalized: normalized() };
  };
  const [short, long] = [await spent('nobody'), await spent(name)];
  t.strictSame(withoutLengths(long.list), withoutLengths(short.list));
  t.ok(short.list.includes('a password is hashed'));
  t.ok(long.normalized <= 255, `${long.normalized} characters are normalized at once`);
});

/** Reading a name once for a hash costs almost nothing. */
const withoutLengths = (list: readonly string[]) => list.map((each) => each.replace(/ of \d+$/, ''));

async function wrongSecret({ post }: Running, client_id: string, headers = {}): Promise<Response> {
  return post('/oauth2/token', { grant_type: 'client_credentials', client_id, client_secret: 'x' }, headers);
}

async function loginStatus(service: Running, password = 'wonderland'): Promise<number> {
  const tab = openTab(service);
  return (await logIn(tab, await tab.get('/oauth2/account'), 'alice', password)).status;
}

t.test('an invented client id never counts as a login', async (t) => {
  const service = await run(t, { config: { login: { max_failures: 2, window: 60_000 } } });
  for (const id of ['user\nalice', 'address\n', 'client\nshop', 'alice']) {
    for (let count = 0; count < 25; count++) await wrongSecret(service, id, { origin: 'https://evil.example' });
  }
  t.equal(await loginStatus(service), 303);
  t.equal((await service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shop))).status, 200);
});

t.test('invented ids do not evict the failed logins from the counters', async (t) => {
  const service = await run(t, { config: { login: { max_failures: 2, window: 600_000 } } });
  for (let count = 0; count < 2; count++) await loginStatus(service, 'wrong');
  t.equal(await loginStatus(service), 429);
  const counted = service.service.counters;
  const keys = new Set<string>();
  const fail = counted.fail.bind(counted);
  counted.fail = (key, window) => {
    keys.add(key);
    return fail(key, window);
  };
  for (let count = 0; count < 200; count++) await wrongSecret(service, `made-up-${count}`);
  t.equal(keys.size, 1, 'all of them are one name');
  t.equal(await loginStatus(service), 429);
});

t.test('a box that is left unticked revokes a scope that was granted before', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  await decide(tab, await tab.get(authorizePath()), ['orders.read', 'orders.write']);
  await decide(tab, await tab.get(authorizePath({ prompt: 'consent' })), ['orders.read']);
  const again = await tab.get(authorizePath({ prompt: 'none' }));
  t.equal(answered(again).error, 'consent_required');
  const less = await tab.get(authorizePath({ prompt: 'none', scope: 'orders.read' }));
  t.ok(answered(less).code, 'what was left ticked is still known');
});

t.test('a proxy that adds ports does not give a client a new address with each request', async (t) => {
  const login = { max_failures: 2, window: 60_000 };
  const service = await run(t, { config: { login, trusted_proxies: ['127.0.0.1/32'] } });
  const from = async (hops: string, password: string) => {
    const tab = openTab(service);
    const page = await tab.get('/oauth2/account');
    const form = { transaction: page.field('transaction'), username: 'alice', password };
    return (await tab.post('/oauth2/login', form, { 'x-forwarded-for': hops })).status;
  };
  for (const write of [(n: number) => `203.0.113.6:${50_000 + n}`, (n: number) => `[2001:db8::1]:${50_000 + n}`]) {
    for (let count = 0; count < 2; count++) t.equal(await from(write(count), 'wrong'), 403);
    t.equal(await from(write(9), 'wonderland'), 429, write(9));
  }
  t.equal(await from('198.51.100.7:1', 'wonderland'), 303, 'another client is not concerned');
  for (let count = 0; count < 2; count++) await from(`nonsense-${count}`, 'wrong');
  t.equal(await from('nonsense-9', 'wonderland'), 429, 'what is no address is the proxy itself');
});

t.test('a public client cannot check a token by introspection', async (t) => {
  const service = await run(t);
  const answer = await service.post('/oauth2/introspect', { token: 'x', client_id: 'app' });
  t.equal(answer.status, 401);
});

async function invalid(t: Test, response: Promise<Response>, title: string): Promise<void> {
  const answer = await response;
  t.strictSame([answer.status, ((await answer.json()) as TokenAnswer).error], [400, 'invalid_grant'], title);
}

t.test('a used refresh token is still recognized after its own expiry', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  const first = await tokens(service);
  let thief = await refreshed(service, first.refresh_token);
  for (let days = 0; days < 8; days += 4) {
    clock.advance(4 * 86_400_000);
    await service.service.records.sweep(Math.floor(clock.now() / 1000), 1000);
    thief = await refreshed(service, thief.refresh_token);
  }
  await invalid(t, refresh(service, first.refresh_token), 'the owner comes back after eight days');
  t.match(service.logged(), /"event":"refresh_reuse"/);
  await invalid(t, refresh(service, thief.refresh_token), 'and the thief has nothing left');
});

t.test('a second use within the leeway is in the audit log', async (t) => {
  const service = await run(t);
  const { refresh_token } = await tokens(service);
  await refreshed(service, refresh_token);
  await invalid(t, refresh(service, refresh_token), 'refused');
  t.match(service.logged(), /"event":"refresh_refused".*"detail":"used a moment ago"/);
});

t.test('an unknown client id is not in the log, because it may be a secret in the wrong field', async (t) => {
  const service = await run(t);
  await service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic({ id: web.secret, secret: web.id }));
  await wrongSecret(service, 'x'.repeat(60_000));
  t.match(service.logged(), /"event":"client_refused"/);
  t.notOk(service.logged().includes(web.secret));
  t.notOk(service.logged().includes('x'.repeat(300)));
});

t.test('a client that logs in repeatedly does not lock others out', async (t) => {
  const { trusted_proxies: _none, ...config } = configuration();
  const service = await run(t, { config: { trusted_proxies: ['127.0.0.1/32'], users: config.users } });
  const verify = (block: string) => service.service.passwords.verify(undefined, 'x', { asker: { block, share: 0.25 } });
  const passwords = Array.from({ length: 40 }, () => verify('203.0.113.6'));
  const others = await Promise.all(Array.from({ length: 4 }, (_, index) => verify(`198.51.100.${index}`)));
  t.strictSame(
    others.map(({ kind }) => kind),
    Array(4).fill('refused'),
  );
  const kinds = (await Promise.all(passwords)).map(({ kind }) => kind);
  t.ok(kinds.includes('outage'), 'the one who fills the queue waits');
});
