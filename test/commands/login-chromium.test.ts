import type { Page } from 'playwright-core';
import t from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { runForLogin, startLogin } from './logging-in.ts';

/** Starts programs, and drives a browser: 15 s on a busy machine. */
t.setTimeout(120_000);

const openPage = browserOf(t);

async function logIn(page: Page): Promise<void> {
  await page.locator('#username').fill('alice');
  await page.locator('#password').fill('wonderland');
  await page.locator('button[type=submit]').click();
}

t.test('chromium: sign in and consent, and the tab says that it can be closed', { skip }, async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer, ['--scope', 'openid profile orders.read']);
  const page = await openPage(t);
  const complaints: string[] = [];
  page.on('console', (message) => void complaints.push(message.text()));
  await page.goto(login.address.href);
  await logIn(page);
  await page.locator('input[value="orders.read"]').uncheck();
  await page.locator('button[value=allow]').click();
  await page.getByText('You can close this tab.').waitFor();
  t.equal(await page.locator('h1').innerText(), 'You are signed in');
  t.not(await page.evaluate('getComputedStyle(document.body).maxWidth'), 'none', 'it has its style');
  const blocked = complaints.filter((text) => /Security Policy|Refused|violates/i.test(text));
  t.strictSame(blocked, [], 'the policy of the page blocks nothing');
  const { status, stdout, stderr } = await login.ended();
  t.equal(status, 0, stderr);
  t.match(await service.introspect(stdout.trim()), { active: true, scope: 'openid profile' });
  t.match(stderr, 'Signed in as Alice Ng (sub alice).\nScope: openid profile\n');
});

t.test('chromium: a user who denies the access reads this in the tab', { skip }, async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer);
  const page = await openPage(t);
  await page.goto(login.address.href);
  await logIn(page);
  await page.locator('button[value=deny]').click();
  await page.getByText('The sign-in failed').waitFor();
  t.match(await page.locator('main').innerText(), /access_denied[\s\S]*You can close this tab\./);
  t.match(await login.ended(), { status: 1, stdout: '' });
});
