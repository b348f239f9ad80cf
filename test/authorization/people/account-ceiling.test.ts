import t, { type Test } from 'tap';
import { authenticateUser } from '../../../src/authorization/login/authenticate-user.ts';
import type { Try } from '../../../src/authorization/people/login-attempts.ts';
import { buildPasswords } from '../../../src/base/passwords.ts';
import type { GrantType } from '../../../src/config/schema/authorization.ts';
import { redisServer, skipWithoutRedis } from '../../support/redis.ts';
import { cookieName, logIn, openTab, type Page, runFront, signedIn, type Tab } from '../browser/walk.ts';
import { basic, type Changes, configuration, passwordHash, web } from '../running-service.ts';

const CEILING = 12;

async function guessed(t: Test, config: Changes = {}) {
  const clients = configuration().clients.map((client) =>
    client.client_id === 'web' ? { ...client, grant_types: ['password'] as GrantType[] } : client,
  );
  const login = { max_failures_a_day: CEILING };
  const service = await runFront(t, { config: { trusted_proxies: ['127.0.0.1/32'], clients, login, ...config } });
  const stranger = openTab(service);
  const page = await stranger.get('/oauth2/account');
  const type = (address: string, password: string, username = 'alice', tab: Tab = stranger, form: Page = page) =>
    tab.post(
      '/oauth2/login',
      { transaction: form.field('transaction'), username, password },
      { 'x-forwarded-for': address },
    );
  const status = async (...typed: Parameters<typeof type>) => (await type(...typed)).status;
  return { service, type, status };
}

const events = (logged: string) =>
  logged
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line));

/** Many logins: 7 s, and 34 s on two cores that other programs use. */
t.setTimeout(120_000);

t.test(
  'no more guesses for one account are checked in a day than its ceiling, from any number of addresses',
  async (t) => {
    const { service, type, status } = await guessed(t);
    for (let n = 0; n < CEILING; n++) t.equal(await status(`198.51.100.${n}`, 'wrong'), 403);
    const above = await type('203.0.113.1', 'wonderland');
    t.equal(above.status, 429, 'nor the right one');
    const wait = Number(above.headers.get('retry-after'));
    t.ok(wait > 86_000 && wait <= 86_400, `${wait} seconds`);
    t.equal(await status('203.0.113.1', 'builder', 'bob'), 303, 'another account is not concerned');
    const told = events(service.logged()).filter(({ sub }) => sub === 'alice');
    t.equal(told.filter(({ event }) => event === 'login_failed').length, CEILING);
    t.strictSame(
      told.slice(-2).map(({ event, address, detail }) => [event, address, detail]),
      [
        ['login_failed', `198.51.100.${CEILING - 1}`, undefined],
        ['login_throttled', '203.0.113.1', 'account'],
      ],
    );
    t.equal(told.filter(({ event }) => event === 'login_ceiling').length, 1);
  },
);

t.test('no more simultaneous guesses are judged right or wrong than the ceiling allows', async (t) => {
  const { status } = await guessed(t);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => status(`198.51.100.${n}`, 'wrong')));
  t.equal(answers.filter((each) => each === 403).length, CEILING);
  t.equal(answers.filter((each) => each === 429).length, 40 - CEILING);
});

t.test('if a wrong password exceeds a limit, the audit log says which limit', async (t) => {
  for (const [login, limit] of [
    [{ max_failures: 1 }, 'address'],
    [{ max_failures: 2, max_failures_a_day: 1 }, 'account'],
  ] as const) {
    const { service } = await guessed(t, { login });
    const { begin } = service.service.loginAttempts;
    // both check the limit before either has failed
    const { promise: both, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const loginAttempts = {
      ...service.service.loginAttempts,
      async begin(tried: Try) {
        const attempt = await begin(tried);
        if (++begun === 4) resolve();
        if (begun > 2) await both;
        return attempt;
      },
    };
    const caller = { ip: '192.0.2.1', id: 'r', log: service.app.log };
    const typed = { username: 'alice', password: 'wrong', caller, clientId: undefined };
    const judged = [typed, typed].map((each) => authenticateUser({ ...service.service, loginAttempts }, each));
    const outcomes = (await Promise.all(judged)).map((each) => (each.kind === 'throttled' ? each.limit : each.kind));
    t.strictSame(outcomes.toSorted(), [limit, 'refused'].toSorted());
    const told = events(service.logged()).filter(({ event }) => event === 'login_throttled');
    t.strictSame(
      told.map(({ detail }) => detail),
      [limit],
    );
  }
});

t.test('an unknown name reaches the same ceiling, and no event reveals it', async (t) => {
  const { service, status } = await guessed(t);
  for (let n = 0; n < CEILING; n++) t.equal(await status(`198.51.100.${n}`, 'wrong', 'nobody'), 403);
  t.equal(await status('203.0.113.1', 'wrong', 'NOBODY'), 429);
  t.notMatch(service.logged(), /login_ceiling|nobody/);
});

t.test('a browser that has logged in passes above the ceiling, and its own failures are counted', async (t) => {
  const { service, status } = await guessed(t);
  const known = await signedIn(service);
  known.cookies.delete(cookieName(known, 'sid'));
  const form = await known.get('/oauth2/account');
  for (let n = 0; n < CEILING; n++) await status(`198.51.100.${n}`, 'wrong');
  const from = (password: string, username = 'alice') => status('203.0.113.9', password, username, known, form);
  t.equal(await from('wonderland'), 303);
  t.equal(await status('203.0.113.2', 'wonderland'), 429, 'strangers are still refused');
  for (let n = 0; n < 10; n++) t.equal(await from('wrong'), 403);
  t.equal(await from('wonderland'), 429, 'as ten wrong ones are for any address');
  t.equal(await from('builder', 'bob'), 303, 'it knows alice alone, and bob like any browser');
});

t.test('passwords from the address of an earlier right password are checked above the ceiling', async (t) => {
  const { service, status } = await guessed(t);
  const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  const ask = async (address: string) => {
    const headers = { ...basic(web), 'x-forwarded-for': address };
    return (await service.post('/oauth2/token', form, headers)).status;
  };
  t.equal(await ask('203.0.113.1'), 200);
  for (let n = 0; n < CEILING; n++) t.equal(await status(`198.51.100.${n}`, 'wrong'), 403);
  t.equal(await ask('203.0.113.2'), 429);
  t.equal(await ask('203.0.113.1'), 200);
});

t.test('the account page says how often strangers guessed, and until when they are blocked', async (t) => {
  const { service, status } = await guessed(t);
  const alice = await signedIn(service);
  const page = async () => (await alice.get('/oauth2/account')).body;
  t.notMatch(await page(), /wrong password/);
  await status('198.51.100.1', 'wrong');
  t.match(await page(), /Someone entered a wrong password for your account in another browser/);
  t.notMatch(await page(), /new browser/);
  for (let n = 1; n < CEILING; n++) await status(`198.51.100.${n}`, 'wrong');
  t.match(await page(), /12 wrong passwords .* So new browsers cannot sign in until <time/);
  const bob = await signedIn(service, 'bob', 'builder');
  t.notMatch((await bob.get('/oauth2/account')).body, /wrong password/);
});

t.test('the default ceiling is 100 a day', async (t) => {
  t.equal(configuration().login.max_failures_a_day, 100);
});

t.test('in one IPv6 site a /64 has ten guesses, a /56 twenty and a /48 forty', async (t) => {
  const { status } = await guessed(t, { login: { max_failures_a_day: 1_000 } });
  const guesses = async (address: (n: number) => string) => {
    for (let n = 0; n < 100; n++) if ((await status(address(n), 'wrong')) === 429) return n;
    return 100;
  };
  t.equal(await guesses((n) => `2001:db8:1:1::${n}`), 10);
  t.equal(await guesses((n) => `2001:db8:2:${(n % 256).toString(16)}::1`), 20);
  t.equal(await guesses((n) => `2001:db8:3:${n.toString(16).padStart(2, '0')}00::1`), 40);
  t.equal(await status('2001:db8:4::1', 'wonderland'), 303, 'the site beside it is not concerned');
});

t.test('processes share the ceiling and the browsers that they know', { skip: skipWithoutRedis }, async (t) => {
  const redis = await redisServer(t);
  const storage = { storage: 'sqlite:gatehouse.db', counters: { url: redis.url } };
  const one = await guessed(t, storage);
  const other = await runFront(t, {
    directory: one.service.directory,
    config: { ...storage, trusted_proxies: ['127.0.0.1/32'], login: { max_failures_a_day: CEILING } },
  });
  const known = await signedIn(one.service);
  for (let n = 0; n < CEILING; n++) t.equal(await one.status(`198.51.100.${n}`, 'wrong'), 403);
  const stranger = openTab(other);
  const form = await stranger.get('/oauth2/account');
  const typed = { transaction: form.field('transaction'), username: 'alice', password: 'wonderland' };
  const refused = await stranger.post('/oauth2/login', typed, { 'x-forwarded-for': '203.0.113.1' });
  t.equal(refused.status, 429);
  const elsewhere = openTab(other);
  const name = cookieName(known, 'known');
  elsewhere.cookies.set(name, known.cookies.get(name) ?? '');
  t.equal((await logIn(elsewhere, await elsewhere.get('/oauth2/account'))).status, 303);
});

const costs = { cheap: { memory: 8, passes: 1 }, dear: { memory: 64, passes: 3 } };

t.test('unknown names are checked at the costs of known ones, each name always at the same cost', async (t) => {
  const ran: string[] = [];
  const users = configuration().users.map((user, index) => ({
    ...user,
    password_argon2: passwordHash('wonderland', index === 0 ? costs.cheap : costs.dear),
  }));
  const { service, status } = await guessed(t, { users, login: { max_failures_a_day: 1_000 } });
  const costOf = async (username: string) => {
    ran.length = 0;
    t.equal(await status(`198.51.100.${username.length}`, 'wrong', username), 403);
    return ran.join();
  };
  const passwords = buildPasswords({ ran: ({ memory, passes, lanes }) => ran.push(`${memory} ${passes} ${lanes}`) });
  Object.assign(service.service, { passwords });
  const known = [await costOf('alice'), await costOf('bob')];
  t.strictSame(known, ['8 1 1', '64 3 1']);
  const names = Array.from({ length: 40 }, (_, n) => 'n'.repeat(n + 1));
  const unknown: string[] = [];
  for (const name of names) unknown.push(await costOf(name));
  t.strictSame([...new Set(unknown)].sort(), [...known].sort());
  for (const [index, name] of names.entries()) t.equal(await costOf(name.toUpperCase()), unknown[index]);
});
