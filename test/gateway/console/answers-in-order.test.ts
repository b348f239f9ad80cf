import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { consoleOf, textsOf } from './opened-console.ts';

/** Drives a browser through the pages with a question: 20 s on a busy machine. */
t.setTimeout(120_000);

const open = consoleOf(t);

interface Asked {
  readonly page: string;
  /** The path of the API. */
  readonly path: string;
  ask(page: Page, words: Readonly<Record<string, string>>, question: string): Promise<void>;
  /** Two questions, and a text that only the answer to it has. */
  readonly first: readonly [question: string, shown: string];
  readonly second: readonly [question: string, shown: string];
}

const pages: readonly Asked[] = [
  {
    page: 'routes',
    path: 'explain',
    async ask(page, { path = '', try: send = '' }, question) {
      await page.getByLabel(path).fill(question);
      await page.getByRole('button', { name: send, exact: true }).click();
    },
    first: ['/public/1', 'open handles'],
    second: ['/orders/1', 'orders handles'],
  },
  {
    page: 'playground',
    path: 'explain',
    async ask(page, { url = '', explain = '' }, question) {
      await page.getByLabel(url).fill(question);
      await page.getByRole('button', { name: explain }).click();
    },
    first: ['/none', 'route_not_found'],
    second: ['/orders/1', 'credential_missing'],
  },
  {
    page: 'token',
    path: 'token',
    async ask(page, { field = '', check = '' }, question) {
      await page.getByLabel(field).fill(question);
      await page.getByRole('button', { name: check }).click();
    },
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
    if (asked++ === 0) await held.promise;
    await route.continue();
  });
  return async () => {
    const arrived = page.waitForResponse((response) => response.url().endsWith(`/api/${path}`));
    held.resolve();
    await (await arrived).finished();
    // The page has two frames to show it.
    await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))');
  };
}

async function keepsLast(t: Test, { page: name, path, ask, first, second }: Asked): Promise<void> {
  const { page, running } = await open(t);
  const words = (await textsOf({ locale: 'en-US' }))[name];
  await page.goto(`${running.adminUrl}/console/${name}`);
  const release = await holdFirst(page, path);
  await ask(page, words, first[0]);
  await ask(page, words, second[0]);
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
