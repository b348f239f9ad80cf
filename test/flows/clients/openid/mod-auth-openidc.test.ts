import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { type FrontService, openTab, type Page, signedIn, type Tab } from '../../../authorization/browser/walk.ts';
import { runProvider, walk } from '../../../authorization/openid/provider.ts';
import { onLoopback } from '../../../authorization/openid/relying-party.ts';
import { basic } from '../../../authorization/running-service.ts';
import { apache, skipWithoutApache } from '../../../support/apache.ts';
import { type Echoed, echoUpstream } from '../../../support/echo-upstream.ts';
import { freePort } from '../../../support/free-port.ts';
import { until } from '../../../support/until.ts';
import { openidScope, registered } from './site.ts';

/** Starts Apache twice: 10 s on a busy machine. */
t.setTimeout(60_000);

/** Debian 12 has it. `.ci/run` installs this version, and docs/promises.md names it. */
const PINNED = 'mod_auth_openidc-2.4.12.3';

const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http', 'auth_openidc'];
const skip = skipWithoutApache(modules);
const secret = 'cs_apache-secret-of-32-bytes-long';

/** mod_auth_openidc in front of an application, which answers with the request that it got. */
interface Site {
  readonly service: FrontService;
  /** A page of the application that needs a login. */
  readonly orders: string;
  readonly redirectUri: string;
  readonly signedOut: string;
  /** The browser of alice. */
  readonly tab: Tab;
}

async function site(t: Test): Promise<Site> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const redirectUri = `${url}/app/redirect_uri`;
  const signedOut = `${url}/signed-out`;
  const client = registered({ id: 'apache', secret, callback: redirectUri, signedOut });
  const service = await runProvider(t, {
    config: onLoopback,
    clients: [{ ...client, backchannel_logout_uri: `${redirectUri}?logout=backchannel` }],
  });
  const upstream = await echoUpstream(t);
  await apache(t, { port, modules, lines: () => relyingParty(service.issuer, redirectUri, upstream) });
  return { service, orders: `${url}/app/orders`, redirectUri, signedOut, tab: openTab(service) };
}

function relyingParty(issuer: string, redirectUri: string, upstream: string): readonly string[] {
  return [
    `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
    'OIDCClientID apache',
    `OIDCClientSecret ${secret}`,
    `OIDCRedirectURI ${redirectUri}`,
    'OIDCCryptoPassphrase a-passphrase-for-cookies',
    `OIDCScope "${openidScope}"`,
    'OIDCPKCEMethod S256',
    'OIDCPassRefreshToken On',
    // fetch of Node.js says that a request is no navigation, for which the module would answer 401.
    'OIDCUnAuthAction auth true',
    `OIDCRedirectURLsAllowed ^${new URL(redirectUri).origin}/`,
    '<Location /app>',
    '  AuthType openid-connect',
    '  Require valid-user',
    '</Location>',
    `ProxyPass / ${upstream}/`,
  ];
}

/** The page that the browser shows in the end. */
async function open({ tab }: Pick<Site, 'tab'>, url: string): Promise<Page> {
  let page = await tab.get(url);
  for (let hops = 0; page.location !== undefined && hops < 10; hops++) page = await walk(tab, page.location.href);
  return page;
}

function headersOf({ status, body }: Page): Echoed['headers'] {
  if (status !== 200) throw new Error(`${status}: ${body}`);
  return (JSON.parse(body) as Echoed).headers;
}

/** Where the module sends the browser if it has no session. */
async function authorizationRequest({ service, orders, tab }: Site): Promise<URL | undefined> {
  const { location } = await tab.get(orders);
  return location?.href.startsWith(`${service.issuer}/oauth2/authorize?`) ? location : undefined;
}

t.test(
  'mod_auth_openidc: the version that runs is the pinned one, and the page of guarantees names it',
  { skip },
  async (t) => {
    let log = '';
    const lines = (folder: string) => {
      log = `${folder}/error.log`;
      return ['LogLevel auth_openidc:info'];
    };
    const url = await apache(t, { modules, lines });
    const server = (await fetch(url)).headers.get('server');
    const started = /mod_auth_openidc-\S+(?= - init)/.exec(readFileSync(log, 'utf8'))?.[0];
    t.comment(`${server}, ${started}`);
    t.match(server, /^Apache\/2\.4\.\d+ /);
    t.equal(started, PINNED);
    const page = readFileSync(new URL('../../../../docs/promises.md', import.meta.url), 'utf8');
    t.match(page, `| Apache with ${PINNED.replace('-', ' ')} sends`);
  },
);

t.test('mod_auth_openidc: claims reach the application after the login, and after a refresh', { skip }, async (t) => {
  const here = await site(t);
  t.ok(await authorizationRequest(here));
  const first = headersOf(await open(here, here.orders));
  t.match(first, {
    oidc_claim_iss: here.service.issuer,
    oidc_claim_sub: 'alice',
    oidc_claim_name: 'Alice Ng',
    oidc_claim_email: 'alice@example.com',
    oidc_claim_amr: 'pwd',
  });
  const back = new URLSearchParams({ refresh: here.orders, access_token: first.oidc_access_token ?? '' });
  const second = headersOf(await open(here, `${here.redirectUri}?${back}`));
  for (const claim of ['sub', 'sid', 'auth_time', 'email'])
    t.equal(second[`oidc_claim_${claim}`], first[`oidc_claim_${claim}`], claim);
  for (const fresh of ['oidc_access_token', 'oidc_refresh_token', 'oidc_claim_at_hash'])
    t.not(second[fresh], first[fresh], fresh);
});

t.test('mod_auth_openidc: a logout ends its session and ours, and the refresh token', { skip }, async (t) => {
  const here = await site(t);
  const { oidc_refresh_token = '' } = headersOf(await open(here, here.orders));
  const out = await here.tab.get(`${here.redirectUri}?${new URLSearchParams({ logout: here.signedOut })}`);
  const ours = await here.tab.get(out.location?.href ?? '');
  t.equal(ours.location?.href, here.signedOut);
  const next = await authorizationRequest(here);
  t.match((await here.tab.get(next?.href ?? '')).body, 'name="password"', 'the login page');
  const form = { grant_type: 'refresh_token', refresh_token: oidc_refresh_token };
  const refused = await here.service.post('/oauth2/token', form, basic({ id: 'apache', secret }));
  t.match(await refused.json(), { error: 'invalid_grant' });
});

t.test('mod_auth_openidc: a session that ends elsewhere ends here too, by the back channel', { skip }, async (t) => {
  const here = await site(t);
  headersOf(await open(here, here.orders));
  t.equal(await authorizationRequest(here), undefined);
  const elsewhere = await signedIn(here.service);
  const account = await elsewhere.get('/oauth2/account');
  await elsewhere.post('/oauth2/account/sign-out-everywhere', { csrf: account.field('csrf') });
  t.ok(await until(async () => (await authorizationRequest(here)) !== undefined));
  t.ok(await until(() => here.service.logged().includes('"event":"backchannel_logout"')));
});
