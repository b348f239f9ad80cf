import type { Page } from 'playwright-core';
import { exampleHealth } from './example-health.ts';
import { fixDate } from './fixed-date.ts';
import { clock, makeTraffic, type RunningDemo, shopToken } from './running.ts';

/** Takes a picture of the page as it is. */
export type Take = (name: string) => Promise<void>;

/** The pages of the console, in an order in which each has something to show. */
export async function takeConsole(page: Page, demo: RunningDemo, take: Take): Promise<void> {
  const token = await shopToken(demo);
  // The gateway notices the last request of a route that had one before the page was opened.
  await makeTraffic(demo, token);
  await page.goto(`${demo.at.admin}/console/routes`);
  await page.locator('tbody tr').first().waitFor();
  await live(page, take, () => makeTraffic(demo, token));
  await playground(page, take);
  await tokens(page, take, token);
  await routes(page, take);
  await health(page, demo, take);
}

/** High enough for all steps of the newest decision, which is a refusal. */
async function live(page: Page, take: Take, traffic: () => Promise<void>): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 1010 });
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByText('Decisions of').waitFor();
  await traffic();
  await page.locator('.row .code', { hasText: 'scope_insufficient' }).click();
  await page.getByText('YAML that would let the request pass').waitFor();
  await take('console-live');
  await page.emulateMedia({ colorScheme: 'dark' });
  await take('console-live-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function playground(page: Page, take: Take): Promise<void> {
  await page.getByText('Open in the playground').click();
  await page.locator('.explanation').waitFor();
  await take('console-playground');
}

async function tokens(page: Page, take: Take, token: string): Promise<void> {
  await page.getByRole('link', { name: 'Token' }).click();
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.locator('.candidates').waitFor();
  await take('console-token');
}

/** The gateway looks every five seconds whether a route had requests. */
async function routes(page: Page, take: Take): Promise<void> {
  await page.getByRole('link', { name: 'Routes' }).click();
  await page.getByLabel('Method').fill('DELETE');
  await page.getByLabel('Try a path or URL').fill('/orders/7');
  await page.getByRole('button', { name: 'Try' }).click();
  await page.locator('tr.wins td', { hasText: ':' }).waitFor();
  await take('console-routes');
}

async function health(page: Page, { at }: RunningDemo, take: Take): Promise<void> {
  clock.pass(7 * 60_000);
  await fixDate(page, clock.now);
  await page.route('**/api/health', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: exampleHealth(await response.json(), clock.now) });
  });
  await page.goto(`${at.admin}/console/health`);
  await page.locator('canvas').nth(4).waitFor();
  await take('console-health');
  // The page asks every few seconds. A request in the handler must end before the browser closes.
  await page.unrouteAll({ behavior: 'wait' });
}
