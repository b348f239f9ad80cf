import type { Page } from 'playwright-core';
import { user } from '../../src/demo/files.ts';
import type { Take } from './console.ts';
import type { RunningDemo } from './running.ts';

/** The way of a user: the client's page, the login, the consent, the API's answer, and the account. */
export async function takeSignIn(page: Page, { at }: RunningDemo, take: Take): Promise<void> {
  await page.goto(`${at.page}/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Username').fill(user.name);
  await take('login');
  await page.locator('#password').fill(user.password);
  await page.locator('button[type=submit]').click();
  await page.locator('button[value=allow]').waitFor();
  await take('consent');
  await page.locator('button[value=allow]').click();
  await page.getByText('GET /orders/7: 200', { exact: true }).waitFor();
  await take('client-page');
  await page.goto(`${at.issuer}/oauth2/account`);
  await take('account');
}
