import {
  type AccountView,
  accountPage,
  type ConsentView,
  consentPage,
  errorPage,
  formPostPage,
  type LoginView,
  loginPage,
  logoutPage,
  type Site,
  signedOutPage,
  textsFor,
} from '../../../src/authorization/pages/pages.ts';

export const site: Site = {
  name: 'id.example.com',
  stylesheet: '/oauth2/assets/style.css',
  icon: '/oauth2/assets/icon.svg',
  texts: textsFor([]),
};

export const shop = { name: 'Corner Shop', redirectUri: 'https://shop.example.com/callback' };
const described = { ...shop, origin: { kind: 'document', host: 'agent.example.net' } } as const;
const transaction = 'NkpUV0hZ';

export const login: LoginView = { form: { action: '/oauth2/login', transaction }, application: shop };

export const consent: ConsentView = {
  form: { action: '/oauth2/consent', transaction },
  switchForm: { action: '/oauth2/switch', transaction },
  application: shop,
  person: { username: 'alice', name: 'Alice Ng' },
  scopes: [
    { token: 'orders.read', words: 'Read your orders', grantedBefore: true },
    { token: 'orders.write', words: 'Change your orders' },
    { token: 'profile' },
  ],
  account: '/account',
};

const july = Date.UTC(2026, 6, 9, 8, 30);
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

export const account: AccountView = {
  person: { username: 'alice', name: 'Alice Ng' },
  apps: [
    {
      clientId: 'shop',
      application: shop,
      scopes: ['Read your orders', 'Change your orders'],
      since: july,
      lastUsed: july + 86_400_000,
    },
    {
      clientId: 'cli',
      application: { name: 'Order Tool', redirectUri: 'http://127.0.0.1:3000/callback' },
      scopes: [],
      since: july,
    },
  ],
  sessions: [
    {
      id: 'one',
      current: true,
      userAgent: firefox,
      address: '192.0.2.7',
      isSameNetwork: true,
      since: july,
      lastSeen: july + 3_600_000,
    },
    {
      id: 'two',
      current: false,
      userAgent: safari,
      address: '2001:db8:12:34:56:78:9a:bc',
      isSameNetwork: false,
      since: july,
    },
    {
      id: 'three',
      current: false,
      userAgent: 'curl/8.5.0',
      address: '192.0.2.7',
      isSameNetwork: true,
      since: july,
      lastSeen: july + 60_000,
    },
  ],
  disconnectForm: { action: '/account/apps', csrf: 'Y3NyZg' },
  endSessionForm: { action: '/account/sessions', csrf: 'Y3NyZg' },
  signOutForm: { action: '/account/sign-out', csrf: 'Y3NyZg' },
  signOutEverywhereForm: { action: '/account/sign-out-everywhere', csrf: 'Y3NyZg' },
};

const long = 'Unbelievably'.repeat(14);
const id = 'b5b2c3d4e5f6a7b8';

const withoutScript = (page: string) => page.replace(/<script>.*<\/script>/s, '');

/** Every page in every state that looks different. */
export const samples: Readonly<Record<string, (site: Site) => string>> = {
  login: (site) => loginPage(site, login),
  'login-document': (site) => loginPage(site, { ...login, application: described }),
  'login-alone': (site) => loginPage(site, { form: login.form }),
  'login-refused': (site) => loginPage(site, { ...login, username: 'alice', failure: { kind: 'refused' } }),
  'login-throttled': (site) =>
    loginPage(site, { ...login, username: 'alice', failure: { kind: 'throttled', retryAfter: 840 } }),
  'login-not-this-user': (site) => loginPage(site, { ...login, notThisUser: { username: 'bob', name: 'Bob' } }),
  consent: (site) => consentPage(site, consent),
  'consent-loopback': (site) =>
    consentPage(site, { ...consent, application: { name: 'Order Tool', redirectUri: 'http://127.0.0.1:3000/cb' } }),
  'consent-document': (site) => consentPage(site, { ...consent, application: described }),
  'consent-itself': (site) =>
    consentPage(site, { ...consent, application: { ...described, origin: { kind: 'itself' }, isLocalOnly: true } }),
  'consent-nothing': (site) =>
    consentPage(site, {
      ...consent,
      scopes: consent.scopes.map((scope) => ({ ...scope, ticked: false })),
      failure: 'nothing_ticked',
    }),
  'consent-no-scopes': (site) => consentPage(site, { ...consent, scopes: [] }),
  'consent-long': (site) =>
    consentPage(site, {
      ...consent,
      application: { name: long, redirectUri: `https://${'long-label-of-a-host.'.repeat(8)}example/cb` },
      person: { username: long, name: long },
      scopes: [{ token: 'a', words: long, grantedBefore: true }],
    }),
  error: (site) => errorPage(site, { kind: 'unknown_client', code: 'invalid_client', id }),
  'error-detail': (site) =>
    errorPage(site, { kind: 'redirect_refused', code: 'invalid_request', id, detail: `Not registered: ${long}` }),
  'error-expired': (site) => errorPage(site, { kind: 'expired_transaction', code: 'transaction_expired', id }),
  'error-throttled': (site) =>
    errorPage(site, { kind: 'too_many_attempts', code: 'too_many_requests', id, retryAfter: 30 }),
  'error-unavailable': (site) => errorPage(site, { kind: 'unavailable', code: 'temporarily_unavailable', id }),
  'error-not-found': (site) =>
    errorPage(site, { kind: 'not_found', code: 'not_found', id, account: '/oauth2/account' }),
  account: (site) => accountPage(site, account),
  'account-empty': (site) =>
    accountPage(site, {
      ...account,
      apps: [],
      sessions: account.sessions.slice(0, 1),
      done: { what: 'disconnected', at: july },
    }),
  logout: (site) =>
    logoutPage(site, { form: login.form, person: account.person, application: 'Corner Shop', account: '/account' }),
  // Its script ends the page at once. Only a browser without scripts shows the page.
  'form-post': (site) => withoutScript(formPostPage(site, { action: '/callback', values: [['code', 'ac_1']] })),
  'signed-out': (site) => signedOutPage(site, { signIn: '/oauth2/login' }),
  'signed-out-everywhere': (site) => signedOutPage(site, { signIn: '/oauth2/login', everywhere: { at: july } }),
};
