import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../../../support/browser.ts';
import { endpoint } from '../../../support/endpoint.ts';
import { type OpenidSite, openidScope, openidSite, type Registration } from './site.ts';
import { judge, type Told } from './story.ts';

/** Starts a browser: 10 s on a busy machine. */
t.setTimeout(120_000);

const openPage = browserOf(t);

const scripts: Readonly<Record<string, URL>> = {
  // The package exports its bundle for browsers only to build tools.
  '/library.js': new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')),
  '/app.js': new URL('../../../peers/oidc-client-ts/app.js', import.meta.url),
};
const html = '<!doctype html><title>App</title><script src="/library.js"></script><script src="/app.js"></script>';

/** The origin of an application that has one page. */
async function application(t: Test): Promise<string> {
  const { url } = await endpoint(t, ({ url = '' }, response) => {
    const script = scripts[url];
    const type = script === undefined ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'content-type': type }).end(script === undefined ? html : readFileSync(script));
  });
  return url;
}

/** Logs alice in where the service asks, and allows everything. */
async function login(page: Page, { callback }: Registration): Promise<void> {
  await Promise.all([page.waitForURL('**/oauth2/authorize?*'), page.evaluate('void app.login()')]);
  if ((await page.locator('#password').count()) > 0) {
    await page.locator('#username').fill('alice');
    await page.locator('#password').fill('wonderland');
    await page.locator('button[type=submit]').click();
  }
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${callback}?**`);
}

/** The service gets another nonce than the library sent. */
const otherNonce = (page: Page) =>
  page.route(
    '**/oauth2/authorize?*',
    (route) => {
      const location = new URL(route.request().url());
      location.searchParams.set('nonce', 'other');
      return route.fulfill({ status: 302, headers: { location: location.href } });
    },
    { times: 1 },
  );

async function logOut(page: Page, { signedOut }: Registration): Promise<Told> {
  const [request] = await Promise.all([
    page.waitForRequest('**/oauth2/logout?*'),
    page.waitForURL(`${signedOut}?**`),
    page.evaluate('void app.logOut()'),
  ]);
  return { 'state of the logout': new URL(request.url()).searchParams.get('state'), 'signed out': page.url() };
}

async function story(page: Page, { issuer }: OpenidSite, client: Registration): Promise<Told> {
  const { id, callback, signedOut } = client;
  const uris = { redirect_uri: callback, post_logout_redirect_uri: signedOut };
  await page.addInitScript(
    `globalThis.settings = ${JSON.stringify({ authority: issuer, client_id: id, scope: openidScope, ...uris })}`,
  );
  await page.goto(new URL('/', callback).href);
  const discovered = await page.evaluate('app.discovered()');
  await otherNonce(page);
  await login(page, client);
  const fault = await page.evaluate('app.loginFault()');
  await login(page, client);
  const profile = await page.evaluate('app.loggedIn()');
  const refreshed = await page.evaluate('app.refresh()');
  const user = JSON.stringify(await page.evaluate('app.user()'));
  const loggedOut = await logOut(page, client);
  return {
    discovered,
    'ID token': profile,
    userinfo: profile,
    'ID token of another request': fault,
    'ID token of the refresh': refreshed,
    ...loggedOut,
    'kept by the application': await page.evaluate('app.loggedOut()'),
    'refresh after the logout': await page.evaluate(`app.refreshFault(${user})`),
  };
}

/** The library compares claims, and leaves the signature to TLS (OpenID Connect Core §3.1.3.7). */
t.test('oidc-client-ts in Chromium: discovery, login, claims, userinfo, refresh and logout', { skip }, async (t) => {
  const origin = await application(t);
  const client = { id: 'browser-app', callback: `${origin}/callback`, signedOut: `${origin}/signed-out` };
  const site = await openidSite(t, client);
  const told = await story(await openPage(t), site, client);
  judge(t, told, site.issuer, client);
  t.equal(told['ID token of another request'], 'nonce in id_token does not match nonce in client storage');
  t.equal(told['kept by the application'], 'kept by the application');
});
