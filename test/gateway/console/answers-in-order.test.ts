import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { consoleOf, shown, textsOf } from './opened-console.ts';

/** Drives a browser through the pages with a question: 20 s on a busy machine. */
t.setTimeout(120_000);

const open = consoleOf(t);

interface Asked {
  readonly page: string;
  /** The path of the API. */
  readonly path: string;
  /** In the texts of the page: the labels of the field and of the button. */
  readonly field: string;
  readonly button: string;
  /** Two questions, each with a text that only its answer has. */
  readonly first: readonly [question: string, shown: string];
  readonly second: readonly [question: string, shown: string];
}

const pages: readonly Asked[] = [
  {
    page: 'routes',
    path: 'explain',
    field: 'path',
    button: 'try',
    first: ['/public/1', 'open handles'],
    second: ['/orders/1', 'orders handles'],
  },
  {
    page: 'playground',
    path: 'explain',
    field: 'url',
    button: 'explain',
    first: ['/none', 'route_not_found'],
    second: ['/orders/1', 'credential_missing'],
  },
  {
    page: 'token',
    path: 'token',
    field: 'field',
    button: 'check',
    first: [unsigned('alice'), 'alice'],
    second: [unsigned('robert'), 'robert'],
  },
];

function unsigned(sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part({ sub })}.AAAA`;
}

/** Holds the first answer back until the returned function is called, which resolves when the page has the answer. */
async function holdFirst(page: Page, path: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route(`**/api/${path}`, async (route) => {
    if (asked++ > 0) return route.continue();
    const response = await route.fetch();
    await held.promise;
    return route.fulfill({ response });
  });
  return async () => {
    const arrived = page.waitForResponse((response) => response.url().endsWith(`/api/${path}`));
    held.resolve();
    await (await arrived).finished();
    await shown(page);
  };
}

async function keepsLast(t: Test, { page: name, path, field, button, first, second }: Asked): Promise<void> {
  const { page, running } = await open(t);
  const words = (await textsOf({ locale: 'en-US' }))[name];
  const ask = async (question: string) => {
    await page.getByLabel(words[field]).fill(question);
    await page.getByRole('button', { name: words[button], exact: true }).click();
  };
  await page.goto(`${running.adminUrl}/console/${name}`);
  const release = await holdFirst(page, path);
  await ask(first[0]);
  await ask(second[0]);
  const main = page.locator('main');
  await main.getByText(second[1]).first().waitFor();
  await release();
  t.equal(await main.getByText(first[1]).count(), 0, first[1]);
  t.ok(await main.getByText(second[1]).first().isVisible(), second[1]);
}

for (const asked of pages)
  t.test(`${asked.page}: an answer that arrives after a later one does not replace it`, { skip }, (t) =>
    keepsLast(t, asked),
  );

t.test('routes: an answer that arrives after the path was removed shows no route', { skip }, async (t) => {
  const { page, running } = await open(t);
  const { path, try: send } = (await textsOf({ locale: 'en-US' })).routes;
  await page.goto(`${running.adminUrl}/console/routes`);
  const release = await holdFirst(page, 'explain');
  for (const text of ['/public/1', '']) {
    await page.getByLabel(path).fill(text);
    await page.getByRole('button', { name: send, exact: true }).click();
  }
  await release();
  t.equal(await page.locator('tr.wins').count(), 0);
});

t.test('playground: an answer that arrives after a wrong question does not hide its fault', { skip }, async (t) => {
  const { page, running } = await open(t);
  const { url, headers, explain } = (await textsOf({ locale: 'en-US' })).playground;
  await page.goto(`${running.adminUrl}/console/playground`);
  const release = await holdFirst(page, 'explain');
  await page.getByLabel(url).fill('/none');
  for (const text of ['', 'no colon']) {
    await page.getByLabel(headers).fill(text);
    await page.getByRole('button', { name: explain, exact: true }).click();
  }
  await page.getByRole('alert').waitFor();
  await release();
  t.equal(await page.locator('.explanation').count(), 0);
  t.ok(await page.getByRole('alert').isVisible());
});
