import type { Page } from 'playwright-core';
import t from 'tap';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { jwt } from '../../support/tokens.ts';
import { consoleOf, nothingWrong, requests } from './opened-console.ts';

/** Drives a browser from key to key: 20 s on a busy machine. */
t.setTimeout(120_000);

const open = consoleOf(t);
const widths = [1280, 360];

/** Presses Tab until the focus is on such an element. */
async function reached(page: Page, selector: string): Promise<boolean> {
  for (let stops = 0; stops < 30; stops++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return true;
  }
  return false;
}

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** The controls of the page at which Tab does not stop with a visible outline, from the first on. */
async function missed(page: Page, ready: string): Promise<readonly string[]> {
  await page.reload();
  await page.locator(ready).first().waitFor();
  const all = `[...document.querySelectorAll('${CONTROLS}')].filter((each) => each.checkVisibility())`;
  const marked = `document.activeElement.dataset.stop = getComputedStyle(document.activeElement).outlineStyle`;
  const count = await page.evaluate<number>(`${all}.length`);
  for (let stops = 0; stops < count; stops++) {
    await page.keyboard.press('Tab');
    await page.evaluate(marked);
  }
  return page.evaluate(`${all}.filter((each) => each.dataset.stop !== 'solid').map((each) => each.outerHTML)`);
}

for (const width of widths)
  t.test(
    `the keyboard alone leads from a decision to its question in the playground: ${width} px`,
    { skip },
    async (t) => {
      const opened = await open(t, { width });
      const { page, running } = opened;
      await page.goto(`${running.adminUrl}/console/live`);
      await page.getByText('Decisions of').waitFor();
      await requests(opened, ['/orders/1', '/admin/7']);
      await page.locator('.row').nth(1).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      t.equal(await page.evaluate('document.activeElement.id'), 'main', 'the first stop skips to the content');
      t.ok(await reached(page, '.row'));
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.locator('.details h2', { hasText: '/orders/1' }).waitFor();
      t.ok(await reached(page, '.details a'));
      await page.keyboard.press('Enter');
      await page.locator('.explanation').waitFor();
      t.ok(await reached(page, '#scope'));
      await nothingWrong(t, opened, 'keyboard');
    },
  );

for (const width of widths)
  t.test(
    `the keyboard alone tries a path, checks a token, and goes through the pages: ${width} px`,
    { skip },
    async (t) => {
      const opened = await open(t, { width });
      const { page, running } = opened;
      await page.goto(`${running.adminUrl}/console/routes`);
      await page.locator('tbody tr').nth(2).waitFor();
      t.ok(await reached(page, '#try'));
      await page.keyboard.type('/admin/x');
      await page.keyboard.press('Enter');
      await page.getByText('admin handles this request.').waitFor();
      t.ok(await reached(page, '.scroll'), 'a wide table scrolls with the arrow keys');
      t.ok(await reached(page, 'tr.wins a'));
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/console\/live#filter=route/);
      t.ok(await reached(page, 'nav a[href*="/token"]'));
      await page.keyboard.press('Enter');
      t.ok(await reached(page, 'textarea#token'));
      await page.keyboard.insertText(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
      t.ok(await reached(page, 'main button'));
      await page.keyboard.press('Enter');
      await page.locator('.checks').waitFor();
      t.ok(await reached(page, 'nav a[href*="/health"]'));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Upstreams', exact: true }).waitFor();
      t.ok(await reached(page, 'main .scroll'), 'the tables of the health scroll');
      await nothingWrong(t, opened, 'keyboard');
    },
  );

for (const width of widths)
  t.test(`Tab stops at each control of each page, and shows where it is: ${width} px`, { skip }, async (t) => {
    const { page, running } = await open(t, { width });
    const ready = { routes: 'tbody tr', token: '#token', health: 'table', live: '#filter' };
    for (const [name, selector] of Object.entries(ready)) {
      await page.goto(`${running.adminUrl}/console/${name}`);
      t.strictSame(await missed(page, selector), [], name);
    }
  });
