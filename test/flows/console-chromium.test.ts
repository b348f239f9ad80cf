import type { Page } from 'playwright-core';
import t from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { guarded, runService } from './operators.ts';

/** Starts a browser, and opens services: 15 s on a busy machine. */
t.setTimeout(120_000);

const openPage = browserOf(t);

async function typePassword(page: Page): Promise<void> {
  await page.locator('#username').fill('alice');
  await page.locator('#password').fill('wonderland');
  await page.locator('button[type=submit]').click();
}

/** What a script of the listener's own page gets. */
const statusIn = (page: Page, path: string, init = '{}') =>
  page.evaluate(`fetch('${path}', ${init}).then(({ status }) => status)`);

t.test('chromium: log in, use the console, and log out', { skip }, async (t) => {
  const service = await runService(t);
  const { admin } = await guarded(t, service);
  const page = await openPage(t);
  const complaints: string[] = [];
  page.on('console', (message) => void complaints.push(message.text()));
  await page.goto(`${admin}/console/live#filter=status:4xx`);
  await page.waitForURL(`${service.issuer}/**`);
  t.notMatch(page.url(), 'filter', 'the server does not get the state of the page');
  await typePassword(page);
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${admin}/console/live#filter=status:4xx`);
  await page.getByText('Decisions of').waitFor();
  t.equal(await page.getByLabel('Filter').inputValue(), 'status:4xx', 'a shared address survives the login');
  t.equal(await page.evaluate('sessionStorage.length'), 0, 'nothing is kept after the login');
  t.equal(await page.locator('.operator span').innerText(), 'alice');
  t.equal(await page.evaluate('document.cookie'), '', 'no script reads the cookie');
  await page.setViewportSize({ width: 360, height: 800 });
  t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, 'overflow');
  const refused = () => complaints.filter((text) => /Security Policy|Refused|violates/i.test(text));
  const other = await page.context().newPage();
  await other.goto(`${admin}/livez`);
  await other.evaluate("(window.ended = new Promise((done) => (new EventSource('/decisions').onerror = done))) && 1");
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are logged out of the console').waitFor();
  await other.evaluate('window.ended');
  t.equal(await statusIn(other, '/routes'), 401);
  await page.getByText('Log in again').click();
  await page.getByText('Decisions of').waitFor();
  t.equal(await statusIn(other, '/routes'), 200, 'the service still knows the user');
  t.strictSame(refused(), []);
});

t.test('chromium: without the scope a page says why, and a revocation leads to the login', { skip }, async (t) => {
  const service = await runService(t);
  const { admin } = await guarded(t, service, {}, { scope: 'openid gatehouse.admin' });
  const page = await openPage(t);
  await page.goto(`${admin}/console`);
  await typePassword(page);
  await page.locator('input[value="gatehouse.admin"]').uncheck();
  await page.locator('button[value=allow]').click();
  await page.getByText('You may not use this console').waitFor();
  await page.getByText('Log in again').click();
  await page.locator('input[value="gatehouse.admin"]').check();
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${admin}/console/live`);
  await page.getByText('Decisions of').waitFor();
  await page.getByLabel('Filter').fill('status:4xx');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#filter=status/);
  const state = page.url();
  const account = await page.context().newPage();
  await account.goto(`${service.issuer}/oauth2/account`);
  await account.locator('form[action$="/disconnect"] button').click();
  await account.waitForURL(/done=disconnected/);
  await page.bringToFront();
  await page.waitForURL(`${service.issuer}/**`);
  await page.locator('button[value=allow]').click();
  await page.waitForURL(state);
  await page.getByText('Decisions of').waitFor();
});

t.test(
  'chromium: a page of another site can make the browser send requests, and none of them has an effect',
  { skip },
  async (t) => {
    const service = await runService(t);
    const { admin } = await guarded(t, service);
    const page = await openPage(t);
    await page.goto(`${admin}/console/`);
    await typePassword(page);
    await page.locator('button[value=allow]').click();
    await page.waitForURL(`${admin}/console/`);
    await page.goto(`${admin.replace('127.0.0.1', 'localhost')}/livez`);
    const called = await page.evaluate(
      `Promise.all([['GET', '/routes'], ['POST', '/reload'], ['POST', '/console/logout']].map(([method, path]) =>
      fetch('${admin}' + path, { method, mode: 'no-cors', credentials: 'include' }).catch(() => 'blocked')))
      .then(() => 'done')`,
    );
    t.equal(called, 'done');
    await page.goto(`${admin}/livez`);
    t.equal(await statusIn(page, '/routes'), 200, 'still logged in');
  },
);
