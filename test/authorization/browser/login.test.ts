import t from 'tap';
import type { PasswordCost } from '../../../src/base/password-hash.ts';
import { buildPasswords } from '../../../src/base/passwords.ts';
import { outage } from '../../../src/base/verdict.ts';
import { computed, noteCalls } from '../../support/computed.ts';
import { passwordHash } from '../running-service.ts';
import {
  authorizePath,
  logIn,
  openTab,
  type Page,
  runFront,
  sessionName,
  sessionOf,
  signedIn,
  type Tab,
} from './walk.ts';

t.test('T19: a login is answered with 303, and no address contains a credential', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const answer = await logIn(tab, await tab.get(authorizePath()));
  t.equal(answer.status, 303);
  t.notMatch(answer.headers.get('location'), /wonderland|alice|transaction/);
  const alone = await logIn(tab, await openAccountLogin(tab));
  t.equal(alone.location?.pathname, '/oauth2/account');
  const page = await tab.get('/oauth2/login');
  t.strictSame([page.status, page.location?.pathname], [303, '/oauth2/account'], 'an address that somebody reloads');
});

async function openAccountLogin(tab: Tab): Promise<Page> {
  await tab.get('/oauth2/sign-out');
  tab.cookies.delete(sessionName(tab));
  return tab.get('/oauth2/account');
}

t.test('T32: a wrong password and an unknown user get the same page', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const refusal = async (username: string, password: string) => {
    const page = await logIn(tab, await tab.get(authorizePath()), username, password);
    t.equal(page.status, 403);
    t.equal(sessionOf(tab), undefined);
    return page.body.replaceAll(page.field('transaction'), '').replaceAll(`value="${username}"`, '');
  };
  const known = await refusal('alice', 'wrong');
  t.match(known, /role="alert"/);
  t.equal(await refusal('nobody', 'wrong'), known);
  t.equal(await refusal('nobody', 'wonderland'), known);
  t.equal(await refusal('alice', 'Wonderland'), known);
  t.equal(await refusal('alice', ''), known);
  t.equal(await refusal('bob', 'wonderland'), known);
});

t.test('the case of a user name does not matter, the case of a password does', async (t) => {
  const service = await runFront(t);
  for (const username of ['alice', 'ALICE', 'ａｌｉｃｅ']) t.ok(await signedIn(service, username));
});

t.test(
  'T30: after ten wrong passwords the answer is 429 with Retry-After; from another address the right one passes',
  async (t) => {
    const service = await runFront(t, { config: { trusted_proxies: ['127.0.0.1/32'] } });
    const tab = openTab(service);
    const login = await tab.get('/oauth2/account');
    const from = (address: string, password: string, username = 'alice') =>
      tab.post(
        '/oauth2/login',
        { transaction: login.field('transaction'), username, password },
        { 'x-forwarded-for': address },
      );
    for (let count = 0; count < 10; count++) t.equal((await from('192.0.2.1', 'wrong')).status, 403);
    for (const password of ['wrong', 'wonderland']) {
      const page = await from('192.0.2.1', password);
      t.equal(page.status, 429, password);
      const wait = Number(page.headers.get('retry-after'));
      t.ok(wait > 800 && wait <= 900, `${wait} seconds`);
      t.match(page.body, /role="alert"/);
    }
    t.equal((await from('192.0.2.1', 'wonderland', 'ALICE')).status, 429, 'the same user in capitals');
    t.equal((await from('192.0.2.1', 'builder', 'bob')).status, 303, 'another user at this address');
    t.equal((await from('192.0.2.2', 'wonderland')).status, 303);
  },
);

t.test('a burst of guesses reveals no more than the same number of guesses one after another', async (t) => {
  const service = await runFront(t);
  const { passwords } = service.service;
  const guesses = 40;
  const all = Promise.withResolvers<void>();
  let begun = 0;
  const verify: typeof passwords.verify = async (...guess) => {
    if (++begun === guesses) all.resolve();
    await all.promise;
    return passwords.verify(...guess);
  };
  Object.assign(service.service, { passwords: { ...passwords, verify } });
  const tab = openTab(service);
  const login = await tab.get('/oauth2/account');
  const tries = Array.from({ length: guesses }, (_, index) => logIn(tab, login, 'alice', `wrong ${index}`));
  let told = (await Promise.all(tries)).filter(({ status }) => status === 403).length;
  t.ok(told >= 1 && told <= 11, `${told} were told that they are wrong; two are judged at a time`);
  while ((await logIn(tab, login, 'alice', 'wrong')).status === 403) told++;
  t.ok(told >= 10 && told <= 11, `${told} in all`);
  t.equal((await logIn(tab, login)).status, 429);
});

t.test('one address that guesses for many users is stopped at a limit above the limit of one user', async (t) => {
  const service = await runFront(t, { config: { login: { max_failures: 2, window: 900_000 } } });
  const tab = openTab(service);
  const login = await tab.get('/oauth2/account');
  const statuses: number[] = [];
  for (let count = 0; count < 21; count++) statuses.push((await logIn(tab, login, `user-${count}`)).status);
  t.strictSame(statuses, [...new Array(20).fill(403), 429]);
});

t.test('T39, advisory 43: an untrusted X-Forwarded-* changes neither the address nor a redirect', async (t) => {
  const service = await runFront(t, { config: { login: { max_failures: 2, window: 900_000 } } });
  const tab = openTab(service);
  const login = await tab.get(authorizePath());
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    const headers = {
      'x-forwarded-for': `192.0.2.${count}`,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    };
    const form = { transaction: login.field('transaction'), username: 'alice', password: 'wrong' };
    statuses.push((await tab.post('/oauth2/login', form, headers)).status);
  }
  t.strictSame(statuses, [403, 403, 429]);
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  const page = await tab.get(authorizePath({ scope: 'admin' }), forged);
  t.equal(page.location?.searchParams.get('iss'), service.issuer);
  t.notMatch((await tab.get(authorizePath(), forged)).body, /evil\.example/);
});

t.test('every login starts a new session and ends the previous one, so no session can be planted', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const planted = 'A'.repeat(43);
  const page = await tab.get('/oauth2/account');
  tab.cookies.set(sessionName(tab), planted);
  await logIn(tab, page);
  const first = sessionOf(tab) ?? '';
  t.not(first, planted);
  t.match(first, /^[A-Za-z0-9_-]{43}$/);
  await logIn(tab, await tab.get(authorizePath({ prompt: 'login' })));
  t.not(sessionOf(tab), first);
  const thief = openTab(service);
  thief.cookies.set(sessionName(tab), first);
  t.match((await thief.get('/oauth2/account')).body, /name="password"/, 'the old one has ended');
  t.equal((await service.service.records.listSessions('alice', 0)).length, 1);
});

t.test('cookies are HttpOnly and only for this site; with https they are Secure and only for this host', async (t) => {
  const service = await runFront(t);
  const plain = await (await fetch(`${service.url}/oauth2/account`)).headers.getSetCookie();
  t.strictSame(plain.map(withoutValue), ['browser-…=…; Path=/; HttpOnly; SameSite=Lax']);
  const secure = await runFront(t, { config: { issuer: 'https://id.example.com' } });
  const answer = await fetch(`${secure.url}/oauth2/account`);
  t.strictSame(answer.headers.getSetCookie().map(withoutValue), [
    '__Host-browser=…; Path=/; HttpOnly; Secure; SameSite=Lax',
  ]);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const transaction = /name="transaction" value="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
  const login = await fetch(`${secure.url}/oauth2/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: 'https://id.example.com', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ transaction, username: 'alice', password: 'wonderland' }),
  });
  t.strictSame(login.headers.getSetCookie().map(withoutValue), [
    '__Host-sid=…; Path=/; HttpOnly; Secure; SameSite=Lax',
    '__Host-known=…; Max-Age=15552000; Path=/; HttpOnly; Secure; SameSite=Lax',
  ]);
});

function withoutValue(cookie: string): string {
  return cookie
    .replace(/^(\w+)-[0-9a-f]{12}=/, '$1-…=')
    .replace(/=(?:[A-Za-z0-9_-]{43}|[\w-]{22}\.\d{10}\.[\w-]{22})(?=;)/, '=…');
}

t.test("a login form from another site's page or another browser is refused", async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const transaction = (await tab.get(authorizePath())).field('transaction');
  const form = { transaction, username: 'alice', password: 'wonderland' };
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: service.issuer.replace('http:', 'https:') },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: service.issuer, 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) t.equal((await tab.post('/oauth2/login', form, headers)).status, 403);
  const stranger = openTab(service);
  t.equal((await stranger.post('/oauth2/login', form)).status, 403, 'without the cookie');
  await stranger.get(authorizePath());
  t.equal((await stranger.post('/oauth2/login', form)).status, 403, 'with a cookie of its own');
  for (const field of ['', 'x', transaction.slice(1), `${transaction}A`, flipped(transaction)])
    t.match((await tab.post('/oauth2/login', { ...form, transaction: field })).body, /form_forged/);
  for (const headers of [
    { origin: service.issuer, 'sec-fetch-site': 'same-origin' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
  ])
    t.equal((await tab.post('/oauth2/login', form, headers)).status, 303);
});

function flipped(text: string): string {
  return (text[0] === 'A' ? 'B' : 'A') + text.slice(1);
}

t.test('a login page is valid for ten minutes', async (t) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  const service = await runFront(t, { clock });
  const tab = openTab(service);
  const login = await tab.get(authorizePath());
  ahead = 601_000;
  const page = await logIn(tab, login);
  t.equal(page.status, 400);
  t.match(page.body, /transaction_expired/);
  t.equal(page.location, undefined);
  ahead = 598_000;
  t.equal((await logIn(tab, login)).status, 303);
});

t.test('too many passwords at a time lead to 503 with Retry-After, not to a wrong password', async (t) => {
  const service = await runFront(t);
  const busy = { ...service.service.passwords, verify: async () => outage('passwords', 7) };
  Object.assign(service.service, { passwords: busy });
  const tab = openTab(service);
  const login = await tab.get('/oauth2/account');
  for (let count = 0; count < 12; count++) {
    const page = await logIn(tab, login);
    t.strictSame([page.status, page.headers.get('retry-after')], [503, '7']);
  }
  t.match((await logIn(tab, login)).body, /temporarily_unavailable/);
});

t.test(
  'a weak hash of a stored account becomes a strong one at login, and the same password still works',
  async (t) => {
    const service = await runFront(t);
    const { records } = service.service;
    const account = { subject: 's1', username: 'carol', name: undefined, claims: {}, createdAt: 1 };
    await records.addAccount({ ...account, passwordHash: passwordHash('secret of carol') });
    await signedIn(service, 'carol', 'secret of carol');
    t.match((await records.findAccount('carol'))?.passwordHash, /m=19456,t=2,p=1/);
    await signedIn(service, 'carol', 'secret of carol');
  },
);

t.test('the audit log has successful and refused logins, and never a name that may be a password', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const login = await tab.get(authorizePath());
  await logIn(tab, login, 'my-password-in-the-wrong-field', 'x');
  await logIn(tab, login, 'alice', 'wrong');
  await logIn(tab, login);
  const events = service
    .logged()
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line));
  t.strictSame(
    events.map(({ event, username }) => [event, username]),
    [
      ['login_failed', undefined],
      ['login_failed', 'alice'],
      ['login', 'alice'],
    ],
  );
  t.match(events[2], { sub: 'alice', client_id: 'web', address: '127.0.0.1', request_id: /./ });
});

t.test('T37: neither passwords nor cookies, codes, transactions or states are in the log', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const state = 'state-of-the-client-0123456789';
  const login = await tab.get(authorizePath({ state }));
  await logIn(tab, login, 'alice', 'mistyped-password-0123456789');
  await logIn(tab, login, 'password-as-name-0123456789', 'x');
  await logIn(tab, login);
  const consent = await tab.get(authorizePath({ state }));
  const granted = await tab.post('/oauth2/consent', {
    transaction: consent.field('transaction'),
    scope: 'orders.read',
    decision: 'allow',
  });
  const code = granted.location?.searchParams.get('code') ?? '';
  t.match(code, /^ac_/);
  await tab.get(`/oauth2/authorize?password=mistyped-password-0123456789&state=${state}`);
  await tab.post('/oauth2/login?password=mistyped-password-0123456789', { password: 'mistyped-password-0123456789' });
  await tab.post('/oauth2/login', {
    transaction: consent.field('transaction'),
    password: 'mistyped-password-0123456789',
  });
  await service.service.records.close();
  await tab.get(authorizePath({ state }));
  await tab.get('/oauth2/account');
  const logged = service.logged();
  t.match(logged, /"consent_granted"/);
  t.match(logged, /"the store is unreachable: /);
  for (const secret of [
    state,
    code,
    'mistyped-password-0123456789',
    'password-as-name-0123456789',
    'wonderland',
    login.field('transaction').slice(0, 40),
    consent.field('transaction').slice(0, 40),
    ...tab.cookies.values(),
  ]) {
    const bytes = Buffer.from(secret);
    for (const form of [
      secret,
      encodeURIComponent(secret),
      bytes.toString('base64').slice(0, 12),
      bytes.toString('hex'),
    ])
      t.notOk(logged.includes(form), `${secret.slice(0, 6)}…`);
  }
});

t.test('advisory 28: refusing a known user takes the same work as refusing an unknown one', async (t) => {
  const service = await runFront(t, {
    config: { login: { max_failures: 1_000_000, max_failures_a_day: 1_000_000, window: 900_000 } },
  });
  const list = computed(t);
  const ran = ({ memory, passes, lanes }: PasswordCost) => list.push(`m=${memory},t=${passes},p=${lanes}`);
  Object.assign(service.service, { passwords: buildPasswords({ cost: { memory: 8, passes: 1, lanes: 1 }, ran }) });
  const { records } = service.service;
  const account = { subject: 's1', username: 'carol', name: undefined, claims: {}, createdAt: 1 };
  await records.addAccount({ ...account, passwordHash: passwordHash('secret of carol') });
  noteCalls(t, records, list);
  const tab = openTab(service);
  const login = await tab.get(authorizePath());
  const spent = async (username: string) => {
    list.splice(0);
    t.equal((await logIn(tab, login, username, 'wrong')).status, 403);
    return list.splice(0).sort();
  };
  for (const [known, unknown] of [
    ['alice', 'elice'],
    ['carol', 'carob'],
  ] as const) {
    const work = await spent(known);
    t.comment(`${known}: ${work.join(', ')}`);
    t.strictSame(await spent(unknown), work, unknown);
  }
});
