import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type Asset, locales, logoAsset, stylesheetAsset } from '../../../src/authorization/pages/pages.ts';
import { browserOf, skipWithoutBrowser } from '../../support/browser.ts';
import { dressed, hostile } from './dressed.ts';
import { servePages } from './page-server.ts';
import { samples, site } from './samples.ts';

/** Drives a browser: 27 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

const skip = skipWithoutBrowser;
const open = browserOf(t);
const plain: readonly Asset[] = [stylesheetAsset()];

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3"><path d="M0 0h9v3z"/></svg>');
const logo = logoAsset(svg);

for (const lang of locales)
  t.test(`no page scrolls sideways, and every target is 44 pixels high and wide: ${lang}`, { skip }, async (t) => {
    if (logo === undefined) return t.fail('the logo is an SVG');
    const server = await servePages(t, { lang, assets: [...plain, logo], logo: logo.path });
    const page = await open(t);
    for (const name of Object.keys(samples)) {
      await page.goto(server.at(name));
      for (const width of [1280, 360, 320]) {
        await page.setViewportSize({ width, height: 700 });
        t.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `${name} at ${width}`);
      }
      t.strictSame(await page.evaluate(smallTargets), [], name);
    }
    t.equal(await page.evaluate('document.images[0].naturalWidth > 0'), true, 'the logo is shown');
  });

const smallTargets = `[...document.querySelectorAll('button, a, label.scope, .field input')]
  .filter((target) => target.offsetHeight < 44 || target.offsetWidth < 44)
  .map((target) => target.outerHTML)`;

t.test('deny is as large as allow, and only allow is filled', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t, { viewport: { width: 360, height: 700 } });
  await page.goto(server.at('consent'));
  const look = (value: string) =>
    page.evaluate<readonly unknown[]>(`(() => {
      const button = document.querySelector('[value=${value}]');
      const { fontSize, fontWeight } = getComputedStyle(button);
      return [button.offsetWidth, button.offsetHeight, fontSize, fontWeight];
    })()`);
  t.strictSame(await look('deny'), await look('allow'));
  const ground = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  t.equal(await ground('[value=deny]'), await ground('main'));
  t.not(await ground('[value=allow]'), await ground('main'));
});

t.test('the tab key reaches everything in reading order, and shows where the focus is', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t);
  for (const name of Object.keys(samples)) {
    await page.goto(server.at(name));
    const count = await page.locator(controls).count();
    if ((await page.locator('[autofocus]').count()) > 0) await page.locator('[autofocus]:focus').waitFor();
    if (await page.evaluate(`${focused} > 0`)) await page.locator(controls).first().focus();
    const stops: number[] = [];
    while (stops.length < count) {
      if (stops.length > 0 || (await page.evaluate(`${focused} < 0`))) await page.keyboard.press('Tab');
      stops.push(await page.evaluate<number>(focused));
      t.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid', name);
    }
    t.strictSame(stops, [...stops.keys()], name);
  }
});

const controls = 'button, a, input:not([type=hidden])';
const focused = `[...document.querySelectorAll('${controls}')].indexOf(document.activeElement)`;

t.test('a person logs in with only the keyboard and without JavaScript', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t, { javaScriptEnabled: false });
  await page.goto(server.at('login'));
  // `autofocus` comes with the first frame, which may be after the load.
  await page.locator('#username:focus').waitFor();
  await page.keyboard.type('alice');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wonderland');
  await submit(page, () => page.keyboard.press('Enter'));
  const fields = [
    ['transaction', 'NkpUV0hZ'],
    ['username', 'alice'],
    ['password', 'wonderland'],
  ];
  t.match(server.posted, [{ path: '/oauth2/login', fields }]);
});

t.test('a person can look at the typed password, and it is hidden again when the form is sent', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t);
  await page.goto(server.at('login'));
  await page.fill('#username', 'alice');
  await page.fill('#password', 'wonderland');
  const type = () => page.locator('#password').getAttribute('type');
  await page.getByRole('button', { name: 'Show password' }).click();
  t.equal(await type(), 'text');
  await page.getByRole('button', { name: 'Hide password' }).click();
  t.equal(await type(), 'password');
  await page.getByRole('button', { name: 'Show password' }).click();
  await submit(page, () => page.getByRole('button', { name: 'Sign in' }).click());
  t.equal(await type(), 'password');
  t.match(server.posted, [{ fields: [['transaction'], ['username', 'alice'], ['password', 'wonderland']] }]);
});

t.test('without JavaScript there is no button that would do nothing', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t, { javaScriptEnabled: false });
  await page.goto(server.at('login'));
  t.strictSame(await page.getByRole('button').allInnerTexts(), ['Sign in']);
});

t.test('a person unticks a scope and allows the rest with only the keyboard', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t, { javaScriptEnabled: false });
  await page.goto(server.at('consent'));
  for (const key of ['Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key);
  await submit(page, () => page.keyboard.press('Enter'));
  t.strictSame(server.posted[0]?.fields, [
    ['transaction', 'NkpUV0hZ'],
    ['scope', 'orders.write'],
    ['scope', 'profile'],
    ['decision', 'allow'],
  ]);
});

t.test('enter in a checkbox never allows', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t);
  await page.goto(server.at('consent'));
  await page.locator('[value=profile]').focus();
  await submit(page, () => page.keyboard.press('Enter'));
  t.match(server.posted[0]?.fields.at(-1), ['decision', 'deny']);
});

t.test('the buttons of the account page post what they say', { skip }, async (t) => {
  const server = await servePages(t, { assets: plain });
  const page = await open(t, { javaScriptEnabled: false });
  await page.goto(server.at('account'));
  for (const name of ['Disconnect Order Tool', /^Sign out Safari 18 on iPhone, Jul 9, 2026/])
    await submit(page, () => page.getByRole('button', { name }).click());
  await submit(page, () => page.getByRole('button', { name: 'Sign out', exact: true }).click());
  t.strictSame(
    server.posted.map(({ path, fields }) => [path, ...fields.flat()]),
    [
      ['/account/apps', 'csrf', 'Y3NyZg', 'client_id', 'cli'],
      ['/account/sessions', 'csrf', 'Y3NyZg', 'session', 'two'],
      ['/account/sign-out', 'csrf', 'Y3NyZg'],
    ],
  );
});

t.test('after a form the browser follows to the application, and further redirects work', { skip }, async (t) => {
  const end = await listen(t, () => undefined);
  const application = await listen(t, (path) => (path === '/cb' ? `${end}/welcome` : undefined));
  const server = await servePages(t, { assets: plain, redirectUri: `${application}/cb` });
  const page = await open(t);
  for (const name of ['login-alone', 'consent']) {
    await page.goto(server.at(name));
    if (name === 'login-alone') await page.fill('#username', 'a').then(() => page.fill('#password', 'b'));
    await page.getByRole('button', { name: /^(Sign in|Allow)$/ }).click();
    await page.waitForURL(`${end}/welcome`);
    t.equal(page.url(), `${end}/welcome`, name);
  }
});

t.test('an injected form cannot be submitted', { skip }, async (t) => {
  const caught: string[] = [];
  const thief = await listen(t, (path) => void caught.push(path));
  const server = await servePages(t, { assets: plain });
  const page = await open(t);
  await page.goto(server.at('login'));
  const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'));
  await page.evaluate(
    `(() => { const form = document.forms[0]; form.action = '${thief}/'; form.noValidate = true; })()`,
  );
  await page.getByRole('button', { name: 'Sign in' }).dispatchEvent('click');
  t.match((await complaint).text(), "form-action 'self'");
  t.equal(page.url(), server.at('login'));
  t.strictSame(caught, []);
});

t.test('hostile text runs nothing and adds nothing to a page, even without a policy', { skip }, async (t) => {
  const page = await open(t, { bypassCSP: true });
  await page.addInitScript('window.pwned = () => { window.done = true; }');
  page.on('dialog', () => t.fail('a dialog'));
  await page.goto('about:blank');
  const quiet = await elements(page, 'quiet');
  for (const text of hostile) t.strictSame(await elements(page, text), quiet, text);
  t.equal(await page.evaluate('window.done'), undefined);
});

/** Every page with the text: its elements with the names of their attributes. */
async function elements(page: Page, text: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const markup of dressed(site, text)) {
    await page.setContent(markup, { waitUntil: 'domcontentloaded' });
    found.push(await page.evaluate(inventory));
  }
  return found;
}

const inventory =
  "[...document.querySelectorAll('*')].map((one) => [one.localName, ...one.getAttributeNames()].join(' '))";

async function submit(page: Page, act: () => Promise<void>): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await act();
  await answered;
}

/** A web server of another site, on another origin. */
async function listen(t: Test, redirect: (path: string) => string | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const location = redirect(request.url ?? '');
    if (location === undefined) response.end('here');
    else response.writeHead(302, { location }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
