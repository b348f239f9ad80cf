import axe from 'axe-core';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../../support/browser.ts';
import { behind, gateway, type TestGateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';

/** Drives a browser: 40 s on a busy machine. */
t.setTimeout(240_000);

const openPage = browserOf(t);

interface Opened {
  readonly running: TestGateway;
  readonly page: Page;
  /** Faults that the browser noticed: refused content, errors of scripts, requests to another origin. */
  readonly faults: readonly string[];
}

async function open(t: Test, { width = 1280, colorScheme = 'light' as 'light' | 'dark' } = {}): Promise<Opened> {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const page = await openPage(t, { viewport: { width, height: 800 }, colorScheme });
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => new URL(request.url()).origin !== running.adminUrl && faults.push(request.url()));
  await page.addInitScript(() => {
    const root = globalThis as unknown as { refused: string[]; addEventListener: (...of: unknown[]) => void };
    root.refused = [];
    root.addEventListener('securitypolicyviolation', (event: { violatedDirective: string }) =>
      root.refused.push(event.violatedDirective),
    );
  });
  return { running, page, faults };
}

async function nothingWrong(t: Test, { page, faults }: Opened, what: string): Promise<void> {
  t.strictSame(await page.evaluate('refused'), [], `${what}: reports of the policy`);
  t.strictSame(faults, [], `${what}: faults`);
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  t.equal(over, 0, `${what}: overflow`);
}

/** Axe runs outside of the page's policy, so in a context of its own through the debugger. */
async function violations(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setBypassCSP', { enabled: true });
  await session.send('Runtime.evaluate', { expression: axe.source });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      'axe.run().then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => [impact, id, html].join(" "))))',
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as readonly string[];
}

async function requests({ running }: Opened, paths: readonly string[]): Promise<void> {
  const authorization = `Bearer ${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}`;
  for (const path of paths) await fetch(running.url + path, { headers: { authorization } });
}

for (const width of [1280, 360])
  for (const colorScheme of ['light', 'dark'] as const)
    t.test(
      `live and playground at ${width} px, ${colorScheme}: a decision, its steps, the same question`,
      { skip },
      async (t) => {
        const opened = await open(t, { width, colorScheme });
        const { page, running } = opened;
        await page.goto(`${running.adminUrl}/console`);
        await page.getByText('Decisions of').waitFor();
        await requests(opened, ['/orders/1', '/admin/7']);
        await page.locator('.row', { hasText: '/admin/7' }).click();
        await page.getByText('YAML that would let it pass').click();
        await page.getByText('any_of: [admin, orders.read]').waitFor();
        t.equal(await page.locator('.steps li').count(), 9);
        t.match(page.url(), /\/console\/live#decision=\d+$/, 'the address has the state');
        t.strictSame(await violations(page), [], 'axe: live');
        await nothingWrong(t, opened, 'live');

        await page.getByText('Open in the playground').click();
        await page.locator('.explanation').waitFor();
        t.match(await page.locator('.explanation h2').textContent(), /403\s*scope_insufficient/);
        await page.locator('#scope').fill('admin');
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByText('forwarded', { exact: true }).waitFor();
        t.match(page.url(), /scope=admin/);
        await page.getByText('Add to tests: of the file').click();
        await page.getByText('{ forward: true, route: "admin" }').waitFor();
        t.strictSame(await violations(page), [], 'axe: playground');
        await nothingWrong(t, opened, 'playground');

        const shared = page.url();
        await page.goto('about:blank');
        await page.goto(shared);
        await page.getByText('forwarded', { exact: true }).waitFor();
      },
    );

for (const width of [1280, 360])
  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`routes, token and health at ${width} px, ${colorScheme}`, { skip }, async (t) => {
      const opened = await open(t, { width, colorScheme });
      const { page, running } = opened;
      await page.goto(`${running.adminUrl}/console/health`);
      await page.getByText('The graphs begin now').waitFor();
      await requests(opened, ['/orders/1', '/admin/7']);
      await page.getByText('Requests a second').waitFor({ timeout: 15_000 });
      t.equal(await page.locator('canvas').count(), 5);
      t.strictSame(await violations(page), [], 'axe: health');
      await nothingWrong(t, opened, 'health');

      await page.getByRole('link', { name: 'Routes' }).click();
      await page.getByLabel('Try a path or URL').fill('/admin/x');
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('admin handles this request.').waitFor();
      t.match(await page.locator('tr.wins').textContent(), /admin.*1 × scope_insufficient/s);
      t.match(page.url(), /try=%2Fadmin%2Fx/);
      t.strictSame(await violations(page), [], 'axe: routes');
      await nothingWrong(t, opened, 'routes');

      await page.getByRole('link', { name: 'Token' }).click();
      await page.getByLabel('Access token').fill(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('✓ passes').waitFor();
      t.match(await page.locator('.candidates').textContent(), /refused.*admin.*needs admin; missing: admin/);
      t.strictSame(await violations(page), [], 'axe: token');
      await nothingWrong(t, opened, 'token');
      t.notMatch(page.url(), /eyJ/);
      await page.getByRole('link', { name: 'Live' }).click();
      await page.goBack();
      t.equal(await page.getByLabel('Access token').inputValue(), '', 'the field is empty after the page was left');
    });

t.test('the filter of the address decides what is shown', { skip }, async (t) => {
  const opened = await open(t);
  const { page, running } = opened;
  await page.goto(`${running.adminUrl}/console/live#filter=status:4xx`);
  await page.getByText('Decisions of').waitFor();
  await requests(opened, ['/orders/1', '/admin/7', '/orders/2']);
  await page.locator('.row', { hasText: '/admin/7' }).waitFor();
  t.equal(await page.locator('.row').count(), 1);
  await page.getByLabel('Filter').fill('stauts:4xx');
  await page.keyboard.press('Enter');
  await page.getByText('did you mean `status`?').waitFor();
  await page.getByLabel('Filter').fill('');
  await page.keyboard.press('Enter');
  t.ok(await until(async () => (await page.locator('.row').count()) === 1), 'only what was kept for the first filter');
});

t.test('the keyboard alone reaches every part of the page', { skip }, async (t) => {
  const opened = await open(t);
  const { page, running } = opened;
  await page.goto(`${running.adminUrl}/console/live`);
  await page.getByText('Decisions of').waitFor();
  await requests(opened, ['/orders/1', '/admin/7']);
  await page.locator('.row').nth(1).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  t.equal(await page.evaluate('document.activeElement.id'), 'main', 'the first stop skips to the content');
  const reached = async (selector: string) => {
    for (let stops = 0; stops < 20; stops++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return true;
    }
    return false;
  };
  t.ok(await reached('.row'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.locator('.details h2', { hasText: '/orders/1' }).waitFor();
  t.ok(await reached('.details a'));
  await page.keyboard.press('Enter');
  await page.locator('.explanation').waitFor();
  t.ok(await reached('#scope'));
  await nothingWrong(t, opened, 'keyboard');
});

t.test('two tabs share one stream, and a tab in the background leaves it to the other', { skip }, async (t) => {
  const opened = await open(t);
  const { page, running } = opened;
  const streams = async () => {
    const text = await (await fetch(`${running.adminUrl}/metrics`)).text();
    return Number(/^gatehouse_console_viewers (\d+)$/m.exec(text)?.[1]);
  };
  await page.goto(`${running.adminUrl}/console/live`);
  await page.getByText('Decisions of').waitFor();
  const second = await page.context().newPage();
  await second.goto(`${running.adminUrl}/console/live`);
  await requests(opened, ['/orders/1']);
  for (const tab of [page, second]) await tab.locator('.row', { hasText: '/orders/1' }).waitFor();
  t.equal(await streams(), 1);
  await page.close();
  await requests(opened, ['/orders/2']);
  await second.locator('.row', { hasText: '/orders/2' }).waitFor();
  t.equal(await streams(), 1);
  await second.close();
  t.ok(await until(async () => (await streams()) === 0), 'the last tab ends the stream');
});
