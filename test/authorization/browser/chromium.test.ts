import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../../support/browser.ts';
import { endpoint } from '../../support/endpoint.ts';
import { authorizePath, clientsWith, type FrontService, runFront, verifier } from './walk.ts';

/** Starts a browser and walks through ten pages: 32 s beside two other browsers on two cores. */
t.setTimeout(120_000);

const openPage = browserOf(t);
const secret = 'cs_the-secret-of-the-client-here';

interface Client {
  readonly service: FrontService;
  readonly redirectUri: string;
  readonly path: string;
}

/** The service, and a client whose page the browser really opens. */
async function client(t: Test): Promise<Client> {
  const site = await endpoint(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>The client</title>'),
  );
  const redirectUri = `${site.url}/callback`;
  const clients = clientsWith({
    client_id: 'here',
    client_name: 'Shop Around The Corner',
    client_secret: secret,
    redirect_uris: [redirectUri],
    scope: 'orders.read orders.write',
    grant_types: ['authorization_code'],
  });
  const service = await runFront(t, { config: { clients } });
  const path = authorizePath({ client_id: 'here', redirect_uri: redirectUri });
  return { service, redirectUri, path: service.issuer + path };
}

async function logIn(page: Page, password = 'wonderland'): Promise<void> {
  await page.locator('#username').fill('alice');
  await page.locator('#password').fill(password);
  await page.locator('button[type=submit]').click();
}

async function exchange(t: Test, { service, redirectUri }: Client, page: Page): Promise<string> {
  const form = {
    grant_type: 'authorization_code',
    code: new URL(page.url()).searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: 'here',
    client_secret: secret,
  };
  const answer = (await (await service.post('/oauth2/token', form)).json()) as Record<string, string>;
  t.equal(answer.scope, 'orders.read');
  return answer.access_token ?? '';
}

for (const javaScriptEnabled of [true, false])
  t.test(
    `chromium, ${javaScriptEnabled ? 'with' : 'without'} JavaScript: login, a scope unticked, code, token, disconnect`,
    { skip },
    async (t) => {
      const here = await client(t);
      const page = await openPage(t, { javaScriptEnabled });
      const complaints: string[] = [];
      page.on('console', (message) => void complaints.push(message.text()));
      await page.goto(here.path);
      await logIn(page, 'wrong');
      t.equal(await page.locator('[role=alert]').count(), 1, 'a wrong password is told');
      await logIn(page);
      await page.locator('input[value="orders.write"]').uncheck();
      await page.locator('button[value=allow]').click();
      await page.waitForURL(`${here.redirectUri}**`);
      t.match(new URL(page.url()).searchParams.get('iss'), here.service.issuer);
      const token = await exchange(t, here, page);
      t.match(await here.service.introspect(token), { active: true, sub: 'alice', scope: 'orders.read' });

      await page.goto(`${here.service.issuer}/oauth2/account`);
      t.match(await page.locator('main').innerText(), /Shop Around The Corner/);
      await page.getByRole('button', { name: /Shop Around The Corner/ }).click();
      await page.waitForURL('**/oauth2/account?done=disconnected&at=*');
      t.strictSame(await here.service.introspect(token), { active: false });

      await page.goto(here.path);
      await page.locator('button[value=deny]').click();
      await page.waitForURL(`${here.redirectUri}**`);
      t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');

      await page.goto(`${here.service.issuer}/oauth2/account`);
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL('**/oauth2/sign-out');
      await page.goto(`${here.service.issuer}/oauth2/account`);
      t.equal(await page.locator('#password').count(), 1, 'signed out');
      const blocked = complaints.filter((text) => /Security Policy|Refused|violates/i.test(text));
      t.strictSame(blocked, [], 'the policy of the pages blocks nothing that they need');
    },
  );

t.test(
  'chromium: a form that another site posts to us is refused, and carries none of our cookies',
  { skip },
  async (t) => {
    const here = await client(t);
    const page = await openPage(t);
    await page.goto(here.path);
    await logIn(page);
    const transaction = await page.locator('input[name=transaction]').first().getAttribute('value');
    const evil = await endpoint(t, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(
        `<form method="post" action="${here.service.issuer}/oauth2/consent"><input name="transaction" value="${transaction}">
<input name="scope" value="orders.read"><button name="decision" value="allow">Win</button></form>`,
      ),
    );
    await page.goto(evil.url.replace('127.0.0.1', 'localhost'));
    const [response] = await Promise.all([page.waitForResponse(/oauth2\/consent/), page.locator('button').click()]);
    t.equal(response.status(), 403);
    t.equal((await here.service.service.records.listConnectedApps('alice', 0)).length, 0);
    await page.setContent(`<iframe src="${here.path}"></iframe>`);
    t.notMatch(await page.frames()[1]?.content(), /transaction/, 'nor does it show in a frame');
  },
);

t.test('chromium: an authorization request that another site posts finds the signed-in user', { skip }, async (t) => {
  const here = await client(t);
  const page = await openPage(t);
  await page.goto(here.path);
  await logIn(page);
  const fields = [...new URL(here.path).searchParams]
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join('');
  const other = await endpoint(t, (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<form method="post" action="${here.service.issuer}/oauth2/authorize">${fields}<button>Go</button></form>`),
  );
  await page.goto(other.url.replace('127.0.0.1', 'localhost'));
  await page.locator('button').click();
  await page.waitForURL(`${here.service.issuer}/oauth2/authorize**`);
  t.equal(await page.locator('button[value=allow]').count(), 1, 'the consent page, and no login');
});

t.test('chromium: a double click on Allow ends at the client, with a code', { skip }, async (t) => {
  const here = await client(t);
  const page = await openPage(t);
  await page.goto(here.path);
  await logIn(page);
  await page.locator('button[value=allow]').dblclick();
  // the second click aborts the navigation of the first, which the test may already wait for
  const arrival = () => page.waitForURL(`${here.redirectUri}?code=**`);
  await arrival().catch(arrival);
  t.match(new URL(page.url()).searchParams.get('code'), /^ac_/);
});
