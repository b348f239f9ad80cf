import t from 'tap';
import {
  accountPage,
  consentPage,
  type ErrorKind,
  errorPage,
  errorStatus,
  loginPage,
  signedOutPage,
} from '../../../src/authorization/pages/pages.ts';
import { readUserAgent } from '../../../src/authorization/pages/user-agent.ts';
import { account, consent, login, samples, shop, site } from './samples.ts';

const count = (page: string, pattern: RegExp) => page.match(pattern)?.length ?? 0;
const words = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const kinds = Object.keys(errorStatus) as ErrorKind[];

t.test(
  'only the login page contains a script, and no page contains an inline style, or an address of another origin',
  async (t) => {
    for (const [name, sample] of Object.entries(samples)) {
      const page = sample(site);
      if (!name.startsWith('login')) t.notMatch(page, /<script/, name);
      t.notMatch(page, /<script[^>]|<style|\sstyle=|\son[a-z]+=|javascript:/i, name);
      t.notMatch(page, /(?:src|href|action)="(?!\/[^/])/, name);
    }
  },
);

t.test('every page states its language and direction, and has one heading and one title', async (t) => {
  const hebrew = { ...site, texts: { ...site.texts, lang: 'he', dir: 'rtl' } as const };
  for (const [name, sample] of Object.entries(samples)) {
    t.match(sample(site), /<html lang="en" dir="ltr">/, name);
    t.match(sample(hebrew), /<html lang="he" dir="rtl">/, name);
    for (const tag of [/<h1>/g, /<title>/g, /<main/g]) t.equal(count(sample(site), tag), 1, name);
  }
});

t.test('the logo replaces the name, and the name is its alternative text', async (t) => {
  const page = signedOutPage({ ...site, logo: '/oauth2/assets/logo.svg' }, {});
  t.match(page, '<img src="/oauth2/assets/logo.svg" alt="id.example.com">');
  t.notMatch(page, '<bdi>id.example.com</bdi>');
});

t.test('login names the application and where it leads, and neither if no application asks', async (t) => {
  t.match(words(loginPage(site, login)), /Corner Shop asks you to sign in\. You then return to shop\.example\.com/);
  t.notMatch(words(loginPage(site, { form: login.form })), /asks|You then return/);
});

t.test('login carries the transaction, and the CSRF token if there is one', async (t) => {
  t.match(loginPage(site, login), '<form method="post" action="/oauth2/login">');
  t.match(loginPage(site, login), '<input type="hidden" name="transaction" value="NkpUV0hZ">');
  t.notMatch(loginPage(site, login), 'name="csrf"');
  t.match(loginPage(site, { form: { ...login.form, csrf: 'abc' } }), '<input type="hidden" name="csrf" value="abc">');
});

t.test('password managers recognize both fields', async (t) => {
  t.match(loginPage(site, login), /name="username" type="text" autocomplete="username"/);
  t.match(loginPage(site, login), /name="password" type="password" autocomplete="current-password"/);
});

t.test('the first empty field has the focus', async (t) => {
  const focused = (page: string) => /<input id="([a-z]+)"[^>]* autofocus/.exec(page)?.[1];
  t.equal(focused(loginPage(site, login)), 'username');
  t.equal(focused(loginPage(site, { ...login, username: 'alice' })), 'password');
});

t.test('a refusal is an alert that both fields point to; the typed name is kept, the password is not', async (t) => {
  const page = loginPage(site, { ...login, username: 'alice', failure: { kind: 'refused' } });
  t.match(page, /<p class="alert" role="alert" id="failure">The username or password is wrong\.<\/p>/);
  t.equal(count(page, /aria-invalid="true" aria-describedby="failure"/g), 2);
  t.match(page, /<title>Error: Sign in/);
  t.match(page, 'value="alice"');
  t.notMatch(page, /type="password"[^>]* value=/);
  t.notMatch(loginPage(site, login), /role="alert"|aria-describedby|aria-invalid/);
});

t.test('a throttled login says how long to wait, rounded up', async (t) => {
  const after = (retryAfter: number) =>
    words(loginPage(site, { ...login, failure: { kind: 'throttled', retryAfter } })).match(/Wait (.*?),/)?.[1];
  t.strictSame([0, 1, 59, 60, 61, 840, 5400, 5401].map(after), [
    '1 second',
    '1 second',
    '59 seconds',
    '1 minute',
    '2 minutes',
    '14 minutes',
    '90 minutes',
    '2 hours',
  ]);
});

t.test("each scope is a ticked checkbox with the operator's description", async (t) => {
  const page = consentPage(site, consent);
  for (const token of ['orders.read', 'orders.write', 'profile'])
    t.match(page, `<input type="checkbox" name="scope" value="${token}" checked>`);
  t.match(words(page), /Read your orders allowed before Change your orders profile/);
  t.equal(count(page, /allowed before/g), 1);
});

t.test('consent can be shown again with the unticked boxes, and says so', async (t) => {
  const page = consentPage(site, {
    ...consent,
    scopes: [{ token: 'a', ticked: false }, { token: 'b' }],
    failure: 'nothing_ticked',
  });
  t.match(page, /value="a">.*value="b" checked>/s);
  t.match(page, /role="alert" id="failure"/);
  t.match(page, '<fieldset aria-describedby="failure">');
});

t.test('allow is the primary button and deny is quiet, and Enter presses deny', async (t) => {
  const buttons = consentPage(site, consent).match(/<button[^>]*name="decision"[^>]*>/g);
  t.strictSame(
    buttons,
    [
      ['plain', 'deny'],
      ['button', 'allow'],
    ].map(([look, value]) => `<button class="${look}" type="submit" name="decision" value="${value}">`),
  );
});

t.test('consent names the signed-in user, and has a separate form to switch users', async (t) => {
  const page = consentPage(site, consent);
  t.match(words(page), /Signed in as Alice Ng alice Not you\?/);
  t.match(page, /action="\/oauth2\/switch">\s*<input type="hidden" name="transaction"/);
  t.equal(count(page, /<form/g), 2);
  t.match(words(consentPage(site, { ...consent, person: { username: 'bob', name: 'bob' } })), /as bob Not/);
});

t.test('the destination of the answer is described in words: host, program on this device, app', async (t) => {
  const answer = (redirectUri: string) =>
    /Your answer goes to (.*?) *(?:Deny|\. (?=Allow))/.exec(
      words(consentPage(site, { ...consent, application: { ...shop, redirectUri } })),
    )?.[1];
  const rows: readonly (readonly [redirectUri: string, said: string])[] = [
    ['https://shop.example.com:8443/cb', 'shop.example.com:8443 .'],
    ['https://paypal.example@evil.example/cb', 'evil.example .'],
    ['https://раypal.example/cb', 'xn--ypal-43d9g.example .'],
    ['http://127.0.0.1:3000/cb', 'a program on this device ( 127.0.0.1:3000 )'],
    ['http://[::1]:3000/cb', 'a program on this device ( [::1]:3000 )'],
    ['http://localhost/cb', 'a program on this device ( localhost )'],
    ['com.example.app:/cb', 'an app on this device ( com.example.app )'],
    ['not an address', 'not an address .'],
  ];
  for (const [redirectUri, said] of rows) t.equal(answer(redirectUri), said, redirectUri);
});

t.test('a name cannot reverse its own text or the text around it', async (t) => {
  const name = 'moc.\u202elapyap\u2069\u202d';
  const page = consentPage(site, { ...consent, application: { ...shop, name } });
  t.match(page, '<h1><bdi>moc.lapyap</bdi> asks for access');
  t.match(page, '<title>Allow moc.lapyap?');
  t.notMatch(page, /[\u202a-\u202e\u2066-\u2069]/);
});

t.test('an error page has no link, and names the problem, the remedy, the code and the reference', async (t) => {
  for (const kind of kinds) {
    const page = errorPage(site, { kind, code: 'some_code', id: 'f00d' });
    const { title, what, remedy } = site.texts.error.kinds[kind];
    t.notMatch(page, /<a |<form|http-equiv/, kind);
    for (const said of [title, what, remedy, 'some_code', 'f00d']) t.ok(words(page).includes(said), `${kind}: ${said}`);
    t.match(String(errorStatus[kind]), /^(400|403|404|405|429|500|503)$/);
  }
});

t.test('a user who only took a wrong address finds their account', async (t) => {
  const page = errorPage(site, { kind: 'not_found', code: 'not_found', id: 'f00d', account: '/oauth2/account' });
  t.match(page, '<a href="/oauth2/account">Your account</a>');
});

t.test('an error page has the detail and the wait if they exist', async (t) => {
  const page = errorPage(site, { kind: 'too_many_attempts', code: 'c', id: 'i', retryAfter: 90, detail: 'ten tries' });
  t.match(words(page), /Wait 2 minutes, then try again\./);
  t.match(words(page), /Detail ten tries/);
});

t.test('the account page lists apps and sessions, each with its own button and the CSRF token', async (t) => {
  const page = accountPage(site, account);
  t.equal(count(page, /<form method="post" action="\/account\/apps">/g), 2);
  t.equal(count(page, /<form method="post" action="\/account\/sessions">/g), 2, 'not for this very session');
  t.equal(count(page, /<form method="post" action="\/account\/sign-out-everywhere">/g), 1);
  t.equal(count(page, /name="csrf" value="Y3NyZg"/g), 6);
  for (const field of ['name="client_id" value="shop"', 'name="session" value="two"']) t.match(page, field);
  t.match(words(page), /Corner Shop At shop\.example\.com Read your orders Change your orders Since Jul 9, 2026/);
  t.match(words(page), /Order Tool A program on your device \( ?127\.0\.0\.1:3000 ?\)/);
  t.match(words(page), /Last used Not yet/);
  t.match(page, '<time datetime="2026-07-09T08:30:00.000Z">');
});

t.test('a screen reader can tell the buttons of a list apart', async (t) => {
  const names = accountPage(site, account)
    .match(/<button[^>]*>.*?<\/button>/g)
    ?.map((button) => words(button));
  t.equal(new Set(names).size, 6);
});

t.test(
  'sessions of one kind of browser have different buttons, and the page says which one is this browser',
  async (t) => {
    const [one] = account.sessions;
    if (one === undefined) return t.fail('a session');
    const others = [1, 2].map((day) => ({ ...one, id: `${day}`, current: false, since: one.since + day * 1000 }));
    const page = accountPage(site, { ...account, apps: [], sessions: [one, ...others] });
    const names = page.match(/<button[^>]*>Sign out<span.*?<\/button>/g)?.map(words) ?? [];
    t.strictSame([names.length, new Set(names).size], [2, 2]);
    t.match(words(page), /Firefox 143 on Linux this browser Address 192\.0\.2\.7 Signed in/);
    t.equal(count(page, /\(same network as this browser\)/g), 2);
    t.match(words(page), /Last seen Jul 9, 2026/);
  },
);

t.test('an account without apps says that it has none', async (t) => {
  t.match(words(accountPage(site, { ...account, apps: [] })), /No app has access to your account\./);
});

t.test('a known browser has a short name, and an unknown one is shown unchanged', async (t) => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const read = (text: string) => {
    const device = readUserAgent(text);
    return typeof device === 'string' ? device : `${device.browser} on ${device.platform}`;
  };
  const rows: readonly (readonly [userAgent: string, short: string])[] = [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome 140 on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge 140 on Windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/18.5 Safari/605.1.15`, 'Safari 18 on macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webkit} CriOS/140.0 Safari/604.1`,
      'Chrome 140 on iPhone',
    ],
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome 140 on Android'],
    [
      `Mozilla/5.0 (Linux; Android 14) ${webkit} SamsungBrowser/28.0 Chrome/130.0 Safari/537.36`,
      'Samsung Internet 28 on Android',
    ],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36 OPR/120`,
      'Opera 120 on ChromeOS',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox 143 on Linux'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['x'.repeat(200), `${'x'.repeat(80)}…`],
  ];
  for (const [userAgent, short] of rows) t.equal(read(userAgent), short);
  t.match(
    accountPage(site, {
      ...account,
      sessions: [{ id: 'a', current: true, address: '::1', isSameNetwork: true, since: 0 }],
    }),
    'Unknown device',
  );
});
