import t, { type Test } from 'tap';
import { decide, openTab, logIn as typePassword } from '../authorization/browser/walk.ts';
import { configuration } from '../authorization/running-service.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { settableClock } from '../support/settable-clock.ts';
import { JWT_BEGINS } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import {
  answered,
  type Browser,
  begin,
  browser,
  type Guarded,
  guarded,
  logIn,
  openStream,
  openWindow,
  runService,
  SENT,
  statusOf,
  TYPED,
} from './operators.ts';

/** Opens services: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

interface Bench {
  readonly service: Awaited<ReturnType<typeof runService>>;
  readonly gateway: Guarded;
  readonly tabs: Browser;
}

async function bench(t: Test, access: object = {}, options: Parameters<typeof runService>[1] = {}): Promise<Bench> {
  const service = await runService(t, options);
  const gateway = await guarded(t, service, {}, access);
  return { service, gateway, tabs: browser(gateway, service) };
}

const sessionIn = ({ at }: Browser) => [...at.cookies].find(([name]) => name.startsWith('__Host-gatehouse-console'));

for (const access_token_format of ['opaque', 'jwt'] as const)
  t.test(
    `an operator logs in with a browser, and the session opens the listener: ${access_token_format}`,
    async (t) => {
      const { tabs, gateway } = await bench(t, {}, { client: { access_token_format } });
      t.equal(await statusOf(tabs), 401);
      const page = await logIn(tabs, '/console/login?return=/console/routes%3Fa=1%26b');
      t.equal(page.status, 200, page.body);
      t.match(page.body, '<meta http-equiv="refresh" content="0;url=/console/routes?a=1&#38;b">');
      t.match(page.headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
      t.match(page.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      const session = [page.headers['set-cookie']].flat().find((line) => line?.startsWith('__Host-gatehouse-console'));
      t.match(
        session,
        /^__Host-gatehouse-console-\w{12}=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      t.strictSame([...tabs.at.cookies.keys()].length, 1, 'the cookie of the login is gone');
      for (const path of ['/routes', '/console/nothing'])
        t.equal(await statusOf(tabs, path), path === '/routes' ? 200 : 404);
      t.equal(gateway.log.filter(({ msg }) => msg === 'console: an operator logged in').length, 1);
    },
  );

t.test(
  'without a session: 401 with the address of the login for programs, a page that leads there for browsers',
  async (t) => {
    const { tabs, gateway } = await bench(t);
    for (const path of [
      '/routes',
      '/decisions',
      '/why/abc',
      '/api/decisions',
      '/nothing',
      '/console/app.js',
      '/livez/',
      '/LIVEZ',
    ]) {
      const { status, body, headers } = await tabs.at.ask(path);
      t.equal(status, 401, path);
      t.strictSame(JSON.parse(body), { error: 'login_required', login: '/console/login' });
      t.equal(headers['cache-control'], 'no-store');
    }
    t.equal((await tabs.at.ask('/reload', {}, 'POST')).status, 401);
    const page = await tabs.at.ask('/console/routes?a=1', TYPED);
    t.equal(page.status, 200);
    t.match(page.body, '<a href="/console/login?return=%2Fconsole%2Froutes%3Fa%3D1">');
    t.match(page.headers['content-security-policy'], /script-src 'sha256-[\w+/]{43}='$/);
    const plain = await tabs.at.ask('/console/routes?a=1', { accept: 'text/html' });
    t.equal(plain.status, 200, 'an older browser sends no Fetch Metadata');
    for (const path of ['/console//other.example/%22%3E%3Cscript%3E', '/console/%5C%5Cother.example?a="><script>']) {
      const { body } = await tabs.at.ask(path, TYPED);
      t.match(body, /<link rel="next" href="\/console\/login\?return=%2Fconsole%2F[^"]*">/, path);
      t.equal(body.match(/<script/g)?.length, 1, path);
    }
    for (const path of ['/livez', '/readyz', '/metrics']) t.equal(await statusOf(tabs, path), 200, path);
    const probe = { host: 'pod-7.internal' };
    t.equal((await tabs.at.ask('/livez', probe)).status, 421, 'on loopback, only loopback names');
    t.equal(gateway.log.filter(({ msg }) => String(msg).startsWith('console')).length, 0);
  },
);

t.test('the request for a login has PKCE, a state, a nonce, the scope and the redirect address', async (t) => {
  const { tabs, gateway } = await bench(t);
  const first = await begin(tabs);
  t.match(Object.fromEntries(first.searchParams), {
    response_type: 'code',
    client_id: 'console',
    redirect_uri: `${gateway.admin}/console/callback`,
    scope: 'gatehouse.admin',
    state: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/,
    code_challenge: /^[\w-]{43}$/,
    code_challenge_method: 'S256',
  });
  const second = await begin(tabs);
  for (const name of ['state', 'nonce', 'code_challenge'])
    t.not(first.searchParams.get(name), second.searchParams.get(name));
});

t.test('a login under another loopback name continues under the name of the listener', async (t) => {
  const { gateway, service } = await bench(t);
  const { port } = new URL(gateway.admin);
  const elsewhere = openWindow(`http://localhost:${port}`);
  const { location } = await elsewhere.ask('/console/login?return=/console/a', TYPED);
  t.equal(location?.href, `${gateway.admin}/console/login?return=%2Fconsole%2Fa`);
  t.equal((await logIn(browser(gateway, service), `${location?.pathname}${location?.search}`)).status, 200);
});

t.test('a user without the scope gets a page that says so, and no session', async (t) => {
  const { tabs } = await bench(t, { scope: 'openid gatehouse.admin' });
  const address = await begin(tabs);
  const login = await typePassword(tabs.service, await tabs.service.get(address.href));
  const consent = await tabs.service.get(login.location?.href ?? '');
  const { location } = await decide(tabs.service, consent, ['openid']);
  const page = await tabs.at.ask(location?.href ?? '', SENT);
  t.equal(page.status, 403);
  t.match(page.body, /You may not use this console/);
  t.equal(sessionIn(tabs), undefined);
  t.equal(await statusOf(tabs), 401);
});

t.test('a user who denies the access reads this on a page', async (t) => {
  const { tabs } = await bench(t);
  const address = await begin(tabs);
  const login = await typePassword(tabs.service, await tabs.service.get(address.href));
  const consent = await tabs.service.get(login.location?.href ?? '');
  const { location } = await decide(tabs.service, consent, [], 'deny');
  const page = await tabs.at.ask(location?.href ?? '', SENT);
  t.equal(page.status, 403);
  t.match(page.body, /refused the login/);
});

t.test('`users` admits only these users', async (t) => {
  const service = await runService(t);
  const [open, closed] = [
    await guarded(t, service, {}, { users: ['bob', 'alice'] }),
    await guarded(t, service, {}, { users: ['bob'] }),
  ];
  t.equal((await logIn(browser(open, service))).status, 200);
  const page = await logIn(browser(closed, service));
  t.equal(page.status, 403);
  t.match(page.body, /not in the list of users/);
});

t.test('with `openid`, the ID token is verified', async (t) => {
  const { tabs, gateway } = await bench(t, { scope: 'openid profile gatehouse.admin' });
  t.equal((await logIn(tabs)).status, 200);
  t.match(
    gateway.log.filter(({ msg }) => msg === 'console: an operator logged in'),
    [{ operator: 'alice', subject: 'alice' }],
  );
});

t.test('a logout ends the session and its streams, for each copy of the cookie', async (t) => {
  const { tabs, gateway } = await bench(t);
  await logIn(tabs);
  const copy = sessionIn(tabs) ?? ['', ''];
  const streams = [await openStream(t, tabs, gateway.admin), await openStream(t, tabs, gateway.admin)];
  t.strictSame(
    streams.map(({ status }) => status),
    [200, 200],
  );
  t.equal((await tabs.at.ask('/console/logout')).status, 404, 'a link logs nobody out');
  const own = { origin: gateway.admin, 'sec-fetch-site': 'same-origin', accept: 'text/html' };
  for (const foreign of [
    {},
    { ...own, origin: 'https://evil.example' },
    { ...own, origin: 'null' },
    { ...own, 'sec-fetch-site': 'same-site' },
    { ...own, 'sec-fetch-site': 'none' },
  ])
    t.equal((await tabs.at.ask('/console/logout', foreign, 'POST')).status, 403, JSON.stringify(foreign));
  t.equal(await statusOf(tabs), 200);
  const form = { ...own, 'content-type': 'application/x-www-form-urlencoded' };
  const page = await tabs.at.ask('/console/logout', form, 'POST', 'a=b');
  t.strictSame([page.status, page.location?.pathname], [303, '/console/logged-out']);
  t.match((await tabs.at.ask('/console/logged-out')).body, /You are logged out of the console/);
  await Promise.all(streams.map(({ ended }) => ended));
  t.equal(sessionIn(tabs), undefined);
  tabs.at.cookies.set(...copy);
  t.equal(await statusOf(tabs), 401);
});

t.test('a revocation at the service ends the session and its streams within a second', async (t) => {
  const { measure } = await lateness(t);
  const { tabs, gateway } = await bench(t);
  await logIn(tabs);
  const stream = await openStream(t, tabs, gateway.admin);
  t.ok(await isInStep(gateway));
  const csrf = (await tabs.service.get('/oauth2/account')).field('csrf');
  const done = await tabs.service.post('/oauth2/account/disconnect', { csrf, client_id: 'console' });
  const figures = await measure(() => Promise.all([stream.ended, until(async () => (await statusOf(tabs)) === 401)]));
  t.equal(done.status, 303);
  t.equal(await statusOf(tabs), 401);
  inTime(t, 'the session ends within a second', 1_000, figures);
});

t.test('a logout at the provider ends the session within a second, and no other session', async (t) => {
  const { measure } = await lateness(t);
  const { tabs, gateway, service } = await bench(t, { scope: 'openid gatehouse.admin' });
  const bystander = browser(gateway, service);
  t.strictSame([(await logIn(tabs)).status, (await logIn(bystander)).status], [200, 200]);
  t.ok(await isInStep(gateway));
  const confirm = await tabs.service.get('/oauth2/logout');
  await tabs.service.post('/oauth2/logout/confirm', { transaction: confirm.field('transaction') });
  const figures = await measure(() => until(async () => (await statusOf(tabs)) === 401));
  t.equal(await statusOf(bystander), 200);
  inTime(t, 'the session ends within a second', 1_000, figures);
});

async function isInStep({ admin }: Guarded): Promise<boolean> {
  return until(async () =>
    / 0$/m.test(/gatehouse_feed_stale\{.*/.exec(await (await fetch(`${admin}/metrics`)).text())?.[0] ?? ''),
  );
}

for (const [what, ttl, minutes] of [
  ['with its token', 60, 60],
  ['after 12 hours', 24 * 60, 12 * 60],
] as const)
  t.test(`a session and its streams end ${what}`, async (t) => {
    const clock = settableClock();
    const { tokens } = configuration();
    const access = { ...tokens.access, ttl: ttl * 60_000 };
    const service = await runService(t, { config: { tokens: { access } } });
    const gateway = await guarded(t, service, {}, {}, { clock, main: { events: 'none' } });
    const tabs = browser(gateway, service);
    await logIn(tabs);
    const stream = await openStream(t, tabs, gateway.admin);
    clock.advance((minutes - 1) * 60_000);
    t.equal(await statusOf(tabs), 200);
    clock.advance(2 * 60_000);
    t.equal(await statusOf(tabs), 401);
    await stream.ended;
  });

t.test('an answer counts only in the browser that began the login, only once, and only as it was sent', async (t) => {
  const { tabs, gateway, service } = await bench(t);
  const callback = await answered(tabs, await begin(tabs));
  const without = (name: string) => {
    const url = new URL(callback);
    url.searchParams.delete(name);
    return url;
  };
  const changed = (name: string, value: string) => {
    const url = new URL(callback);
    url.searchParams.set(name, value);
    return url;
  };
  const twice = new URL(callback);
  twice.searchParams.append('state', callback.searchParams.get('state') ?? '');
  const stranger = browser(gateway, service);
  await begin(stranger);
  t.equal((await stranger.at.ask(callback.href, SENT)).status, 400, 'the browser of an attacker, or of a victim');
  const state = callback.searchParams.get('state') ?? '';
  for (const url of [without('state'), changed('state', `${state.slice(0, -1)}_`), changed('state', 'x'), twice])
    t.equal((await tabs.at.ask(url.href, SENT)).status, 400, url.search);
  t.match((await tabs.at.ask(callback.href, SENT)).body, /The console opens/);
  const replayed = await tabs.at.ask(callback.href, SENT);
  t.equal(replayed.status, 400);
  t.match(replayed.body, /This answer does not belong to a login in progress/);
  t.equal(await statusOf(tabs), 200, 'the session is as it was');
});

for (const [what, change] of [
  ['of another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
  ['without an issuer', (url: URL) => url.searchParams.delete('iss')],
] as const)
  t.test(`an answer ${what} is not used`, async (t) => {
    const { tabs } = await bench(t);
    const callback = await answered(tabs, await begin(tabs));
    change(callback);
    const page = await tabs.at.ask(callback.href, SENT);
    t.equal(page.status, 400);
    t.match(page.body, /came from another server/);
    t.equal(sessionIn(tabs), undefined);
  });

t.test('a used code gives no session', async (t) => {
  const { tabs } = await bench(t);
  const callback = await answered(tabs, await begin(tabs));
  const cookies = new Map(tabs.at.cookies);
  await tabs.at.ask(callback.href, SENT);
  tabs.at.cookies.clear();
  for (const [name, value] of cookies) tabs.at.cookies.set(name, value);
  const page = await tabs.at.ask(callback.href, SENT);
  t.equal(page.status, 502);
  t.match(page.body, /issued no token/);
  t.equal(sessionIn(tabs), undefined);
});

t.test('a code of another login does not fit the proof of this one (RFC 7636)', async (t) => {
  const { tabs, gateway, service } = await bench(t);
  const attacker = browser(gateway, service);
  const stolen = (await answered(attacker, await begin(attacker))).searchParams.get('code') ?? '';
  const callback = await answered(tabs, await begin(tabs));
  callback.searchParams.set('code', stolen);
  t.equal((await tabs.at.ask(callback.href, SENT)).status, 502);
  t.equal(sessionIn(tabs), undefined);
});

t.test('two tabs may log in at the same time, and many unfinished logins make no large cookies', async (t) => {
  const { tabs } = await bench(t);
  const [one, two] = [await begin(tabs), await begin(tabs)];
  for (const address of [one, two])
    t.equal((await tabs.at.ask((await answered(tabs, address)).href, SENT)).status, 200);
  for (let index = 0; index < 20; index++) await begin(tabs);
  t.ok([...tabs.at.cookies].join('').length < 8_000);
});

t.test('other names, other pages and other forms reach nothing, with a session or without', async (t) => {
  const { tabs, gateway } = await bench(t);
  await logIn(tabs);
  for (const host of ['evil.example', 'evil.example:9901', '127.0.0.1.evil.example', '8.8.8.8'])
    for (const path of ['/routes', '/console/login', '/console/callback', '/console/'])
      t.equal((await tabs.at.ask(path, { host })).status, 421, `${host} ${path}`);
  t.equal((await tabs.at.ask('/routes', { origin: 'https://evil.example' })).status, 403);
  t.equal((await tabs.at.ask('/routes', SENT)).status, 403, 'a link to data');
  t.equal((await tabs.at.ask('/console/', { ...SENT, 'sec-fetch-dest': 'iframe' })).status, 403, 'a frame');
  t.equal((await tabs.at.ask('/console/live', SENT)).status, 200, 'a link to a page');
  const own = { origin: gateway.admin, 'sec-fetch-site': 'same-origin' };
  const post = (headers: Record<string, string>) => tabs.at.ask('/nothing', headers, 'POST', '{}');
  t.equal((await post({ ...own, 'content-type': 'application/json' })).status, 404, 'a page of ours passes');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
    t.equal((await post({ ...own, 'content-type': type })).status, 415, type);
  for (const bad of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }, { origin: 'http://localhost' }])
    t.equal((await post({ ...own, 'content-type': 'application/json', ...bad })).status, 403, JSON.stringify(bad));
  t.equal((await post({ 'content-type': 'application/json' })).status, 403, 'a cookie without Origin');
});

t.test('while the authorization server does not answer, the page says so, and sessions stay', async (t) => {
  const { tabs, gateway, service } = await bench(t);
  const fresh = browser(gateway, service);
  await logIn(tabs);
  await service.stop();
  t.equal(await statusOf(tabs), 200);
  const other = await guarded(t, service);
  const page = await openWindow(other.admin).ask('/console/login', TYPED);
  t.equal(page.status, 503);
  t.match(page.body, /does not answer/);
  t.equal((await fresh.at.ask('/console/login', TYPED)).status, 303, 'its metadata are known');
});

t.test('while the feed may have missed a revocation, only a recent login counts', async (t) => {
  const clock = settableClock();
  const service = await runService(t);
  const gateway = await guarded(t, service, {}, {}, { clock });
  const tabs = browser(gateway, service);
  await logIn(tabs);
  await service.stop();
  clock.advance(61_000);
  t.ok(await until(async () => (await statusOf(tabs)) === 401));
});

t.test('no page, cookie or line of the log shows a token, a code, a secret or a session', async (t) => {
  const { tabs, gateway } = await bench(t, { scope: 'openid gatehouse.admin' });
  const callback = await answered(tabs, await begin(tabs));
  const page = await tabs.at.ask(callback.href, SENT);
  const [, value = ''] = sessionIn(tabs) ?? [];
  const code = callback.searchParams.get('code') ?? '';
  const told = `${page.body} ${JSON.stringify(gateway.log)}`;
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text();
  t.match(metrics, /gatehouse_token_cache_entries\{server="main"\} 0\n/, 'the cache has no token');
  for (const secret of [value, code, 'cs_console-secret']) t.notOk(told.includes(secret), secret);
  for (const token of [/at_[\w-]{40}/, JWT_BEGINS]) t.notMatch(told, token);
});

t.test('a login needs no tab of the service that is already open', async (t) => {
  const { tabs, service } = await bench(t);
  await logIn(tabs);
  const again: Browser = { at: tabs.at, service: openTab(service) };
  const before = sessionIn(tabs)?.[1] ?? '';
  await logIn(again);
  t.not(sessionIn(tabs)?.[1], before, 'a new value for each login');
  tabs.at.cookies.set(sessionIn(tabs)?.[0] ?? '', before);
  t.equal(await statusOf(tabs), 401, 'the session before has ended');
});
