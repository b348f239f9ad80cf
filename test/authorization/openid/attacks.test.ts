import t from 'tap';
import {
  answered,
  cookieName,
  type FrontService,
  logIn,
  openTab,
  type Page,
  sessionName,
  sessionOf,
  signedIn,
} from '../browser/walk.ts';
import { loggedIn, openidPath, redeemed, rp, runProvider, userinfo } from './provider.ts';

/**
 * Requests that show the login page to a signed-in user. They are the new ways to this page, beside those of
 * test/authorization/browser/login.test.ts.
 */
const ways = {
  'prompt=login': { prompt: 'login' },
  'prompt=select_account': { prompt: 'select_account' },
  'max_age=0': { max_age: '0' },
  'login_hint with prompt=login': { login_hint: 'alice', prompt: 'login' },
  'acr_values with prompt=login': { acr_values: 'urn:one', prompt: 'login' },
  'claims with max_age=0': { max_age: '0', claims: JSON.stringify({ id_token: { sub: { value: 'alice' } } }) },
} as const;

type Way = Readonly<Record<string, string>>;

/** The page as a visitor sees it, without the parts that differ for each request. */
function shown(page: Page, ...typed: readonly string[]): string {
  const texts = [page.field('transaction'), ...typed.map((each) => `value="${each}"`)];
  return texts.reduce((body, each) => body.replaceAll(each, ''), page.body);
}

const rows = Object.entries<Way>(ways);
const service = await runProvider(t);

for (const [title, way] of rows) {
  t.test(`${title}: the login starts a new session, so no session can be planted or kept`, async (t) => {
    const tab = await signedIn(service);
    const before = sessionOf(tab) ?? '';
    await logIn(tab, await tab.get(openidPath(way)));
    t.not(sessionOf(tab), before);
    const thief = openTab(service);
    thief.cookies.set(sessionName(tab), before);
    t.match((await thief.get('/oauth2/account')).body, 'name="password"', 'a copy of the old cookie');
    const victim = openTab(service);
    const page = await victim.get(openidPath(way));
    const planted = 'A'.repeat(43);
    victim.cookies.set(cookieName(victim, 'sid'), planted);
    await logIn(victim, page);
    t.not(sessionOf(victim), planted);
    thief.cookies.set(sessionName(tab), planted);
    t.match((await thief.get('/oauth2/account')).body, 'name="password"', 'the planted cookie');
  });

  t.test(`${title}: the login form of another site or of another browser is refused`, async (t) => {
    const [tab, stranger] = [await signedIn(service), await signedIn(service, 'bob', 'builder')];
    const form = {
      transaction: (await tab.get(openidPath(way))).field('transaction'),
      username: 'bob',
      password: 'builder',
    };
    const kept = [sessionOf(tab), sessionOf(stranger)];
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as const)
      t.equal((await tab.post('/oauth2/login', form, headers)).status, 403);
    t.equal((await stranger.post('/oauth2/login', form)).status, 403);
    t.strictSame([sessionOf(tab), sessionOf(stranger)], kept, 'both stay signed in');
  });

  t.test(`${title}: a wrong password and an unknown user get the same page`, async (t) => {
    const tab = await signedIn(service);
    const refused = async (username: string, password: string) => {
      const page = await logIn(tab, await tab.get(openidPath(way)), username, password);
      t.equal(page.status, 403);
      return shown(page, username);
    };
    t.equal(await refused('nobody', 'wrong'), await refused('alice', 'wrong'));
  });
}

t.test('wrong passwords of all these login pages count together', async (t) => {
  const service = await runProvider(t, { config: { login: { max_failures: rows.length, window: 900_000 } } });
  const tab = await signedIn(service, 'bob', 'builder');
  const guess = async (way: Way, password: string) => logIn(tab, await tab.get(openidPath(way)), 'alice', password);
  for (const [title, way] of rows) t.equal((await guess(way, 'wrong')).status, 403, title);
  for (const [title, way] of rows) t.equal((await guess(way, 'wonderland')).status, 429, title);
});

t.test('login_hint and a requested sub tell nobody whether the user exists', async (t) => {
  const sub = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) });
  for (const hint of [(name: string): Way => ({ login_hint: name }), sub]) {
    for (const prompt of [undefined, 'login', 'none']) {
      const see = async (name: string) => {
        const page = await openTab(service).get(openidPath({ ...hint(name), prompt }));
        return { status: page.status, error: answered(page).error, body: shown(page, name) };
      };
      t.strictSame(await see('nobody'), await see('alice'), `prompt ${prompt}`);
    }
  }
});

/** An ID token that another issuer made, or somebody without a key. */
function forged(service: FrontService, sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: service.issuer, sub, aud: rp.id, azp: rp.id, exp: 4_000_000_000 };
  return `${part({ alg: 'RS256', kid: 'x', typ: 'JWT' })}.${part(claims)}.${'A'.repeat(342)}`;
}

t.test('a forged id_token_hint tells nobody whether its user exists, at the login and at the logout', async (t) => {
  const see = async (sub: string, path: (hint: string) => string) => {
    const page = await openTab(service).get(path(forged(service, sub)));
    return { status: page.status, error: answered(page), title: /<h1[^>]*>[^<]*/.exec(page.body)?.[0] };
  };
  for (const path of [
    (id_token_hint: string) => openidPath({ id_token_hint }),
    (id_token_hint: string) => openidPath({ id_token_hint, prompt: 'none' }),
    (id_token_hint: string) => `/oauth2/logout?id_token_hint=${id_token_hint}`,
  ])
    t.strictSame(await see('nobody', path), await see('alice', path));
});

t.test('the page for a valid id_token_hint does not name its user', async (t) => {
  const see = async (id_token_hint: string) => {
    const page = await openTab(service).get(openidPath({ id_token_hint }));
    return shown(page);
  };
  const bob = openTab(service);
  const login = await logIn(bob, await bob.get(openidPath()), 'bob', 'builder');
  const ofBob = (await redeemed(service, await bob.get(login.location?.href ?? ''))).id_token;
  const ofAlice = (await loggedIn(service)).id_token;
  t.equal(await see(ofBob), await see(ofAlice));
});

/** A token has 256 bits, so guesses need no limit. They must only do no harm. */
t.test('guessed tokens at userinfo lock nobody out, count as no login, and tell nothing', async (t) => {
  const service = await runProvider(t, { config: { login: { max_failures: 2, window: 900_000 } } });
  const { access_token } = await loggedIn(service);
  const guess = `${access_token.slice(0, -4)}AAAA`;
  const answers = new Set<string>();
  for (let count = 0; count < 100; count++) {
    const response = await userinfo(service, count % 2 === 0 ? guess : `guess-${count}`);
    const { request_id: _own, ...body } = (await response.json()) as Record<string, unknown>;
    answers.add(JSON.stringify([response.status, response.headers.get('www-authenticate'), body]));
  }
  t.equal(answers.size, 1);
  t.match([...answers][0], /^\[401,/);
  t.equal((await userinfo(service, access_token)).status, 200);
  t.ok(sessionOf(await signedIn(service)));
});

t.test('a session is no credential at userinfo, so no site can read it with the cookie of the user', async (t) => {
  const tab = await signedIn(service);
  for (const headers of [{}, { origin: 'https://evil.example' }])
    for (const page of [await tab.get('/oauth2/userinfo', headers), await tab.post('/oauth2/userinfo', {}, headers)]) {
      t.equal(page.status, 401);
      t.equal(page.headers.get('access-control-allow-credentials'), null);
    }
});

t.test('guessed hints at the logout sign nobody out, and lock nobody out of login or logout', async (t) => {
  const service = await runProvider(t, { config: { login: { max_failures: 2, window: 900_000 } } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  for (let count = 0; count < 100; count++) {
    const hint = count % 2 === 0 ? forged(service, 'alice') : `${id_token.slice(0, -6)}AAAAAA`;
    t.equal((await tab.get(`/oauth2/logout?id_token_hint=${hint}`)).status, 400);
  }
  t.ok(sessionOf(tab));
  t.ok(sessionOf(await signedIn(service)));
  t.equal((await tab.get(`/oauth2/logout?id_token_hint=${id_token}`)).status, 303);
  t.equal(sessionOf(tab), undefined);
});
