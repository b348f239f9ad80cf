import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../../support/browser.ts';
import { endpoint } from '../../support/endpoint.ts';
import { until } from '../../support/until.ts';
import { overflowing, type Watched, watch } from '../../support/watched-page.ts';
import { configuration } from '../running-service.ts';
import { authorizePath, clientsWith, type FrontService, runFront } from './walk.ts';

/** Drives a browser: 20 s on a busy machine. */
t.setTimeout(120_000);
const openPage = browserOf(t);

/** Markup that runs where a page does not escape it. The word after it is what a reader would see. */
const evil = (word: string) => `"></title></bdi></legend><img src=x onerror=alert(1)><script>alert(1)</script>${word}`;

interface Here {
  readonly service: FrontService;
  readonly page: Page;
  readonly watched: Watched;
  /** An authorization request of an application. */
  readonly ask: (changes?: Record<string, string>) => string;
}

/** The service with hostile text in each place that can have text by others. */
async function start(t: Test, locale: string): Promise<Here> {
  const client = await endpoint(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>The client</title>'),
  );
  const redirectUri = `${client.url}/callback`;
  const [alice, ...others] = configuration().users;
  if (alice === undefined) throw new Error('no user');
  const service = await runFront(t, {
    config: {
      site_name: evil('Acme'),
      openid: { ...configuration().openid, enabled: true },
      scopes: { 'orders.read': evil('Read your orders'), 'orders.write': evil('Change your orders') },
      users: [{ ...alice, name: evil('Alice') }, ...others],
      clients: clientsWith({
        client_id: 'evil',
        client_name: evil('Shop'),
        client_secret: 'cs_the-secret-of-the-client-here',
        redirect_uris: [redirectUri],
        scope: 'orders.read orders.write',
        grant_types: ['authorization_code'],
      }),
    },
  });
  const page = await openPage(t, { locale, userAgent: evil('Browser') });
  const watched = await watch(page, [service.issuer, client.url]);
  const path = (changes: Record<string, string>) =>
    authorizePath({ client_id: 'evil', redirect_uri: redirectUri, ...changes });
  return { service, page, watched, ask: (changes = {}) => service.issuer + path(changes) };
}

/** The page is the expected one, in its language, and fits. */
async function look(t: Test, { page }: Here, heading: string): Promise<void> {
  const said = await page.locator('h1').innerText();
  t.ok(said.includes(heading), `${said}: ${heading}`);
  t.strictSame(await overflowing(page), [], heading);
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.locator('#username').fill('alice');
  await page.locator('#password').fill(password);
  await page.locator('.reveal').click();
  await page.locator('button[type=submit]').click();
}

/** The headings of the pages, in the order of the walk. */
const walks: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Sign in',
    'Sign in',
    'asks for access to your account',
    'Your account',
    'No page here',
    'For programs only',
    'Unknown application',
    'Sign out?',
    'You are signed out',
    'Sign in',
  ],
  de: [
    'Anmelden',
    'Anmelden',
    'bittet um Zugriff auf Ihr Konto',
    'Ihr Konto',
    'Hier ist keine Seite',
    'Nur für Programme',
    'Unbekannte Anwendung',
    'Abmelden?',
    'Sie sind abgemeldet',
    'Anmelden',
  ],
};

for (const [lang, headings] of Object.entries(walks))
  t.test(
    `every page shows hostile text as text, fits, breaks no policy, and loads nothing from elsewhere: ${lang}`,
    { skip },
    async (t) => {
      const here = await start(t, lang);
      const { page, watched, service, ask } = here;
      const steps: readonly (() => Promise<unknown>)[] = [
        () => page.goto(ask()),
        () => logIn(page, 'wrong'),
        () => logIn(page, 'wonderland'),
        async () => {
          await page.locator('button[value=allow]').click();
          await page.waitForURL('**/callback?code=*');
          await page.goto(service.issuer);
        },
        () => page.goto(`${service.issuer}/nothing`),
        () => page.goto(`${service.issuer}/oauth2/token`),
        () => page.goto(ask({ client_id: 'nobody' })),
        () => page.goto(`${service.issuer}/oauth2/logout?client_id=evil`),
        () => page.locator('button[type=submit]').click(),
        () => page.locator('a').click(),
      ];
      for (const [at, step] of steps.entries()) {
        await step();
        await look(t, here, headings[at] ?? '');
        t.equal(await page.locator('html').getAttribute('lang'), lang);
      }
      t.strictSame(watched.faults, []);
      t.equal(watched.reports(), 0);
    },
  );

t.test('the page that posts an answer breaks no policy', { skip }, async (t) => {
  const { page, watched, ask } = await start(t, 'en');
  await page.goto(ask({ response_mode: 'form_post' }));
  await logIn(page, 'wonderland');
  await page.locator('button[value=allow]').click();
  await page.waitForURL('**/callback');
  t.strictSame(watched.faults, []);
});

t.test('a part that the policy blocks and a missing file are found', { skip }, async (t) => {
  const { page, watched, service } = await start(t, 'en');
  await page.goto(`${service.issuer}/oauth2/account`);
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<img src="/nothing"><img src="https://other.example/x"><b onclick="alert(1)" id="click">x</b>')`);
  await page.locator('#click').click();
  const isFound = (fault: RegExp) => watched.faults.some((found) => fault.test(found));
  for (const fault of [/img-src blocks https:\/\/other\.example/, /script-src-attr blocks inline/, /404 for .*nothing/])
    t.ok(await until(() => isFound(fault)), `${fault}: ${watched.faults.join(', ')}`);
  t.ok(watched.reports() >= 2);
});
