import t from 'tap';
import { entry } from '../../../src/gateway/message/codes.ts';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { JWT_BEGINS, jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { consoleOf, looks, nameOf, nothingWrong, requests, start, textsOf, violations } from './opened-console.ts';

/** Drives a browser through the pages in eight looks: a minute and a half, and three on a busy machine. */
t.setTimeout(240_000);

const open = consoleOf(t);

for (const look of looks)
  t.test(`live and playground at ${nameOf(look)}: a decision, its steps, the same question`, { skip }, async (t) => {
    const opened = await open(t, look);
    const { page, running } = opened;
    const { live, playground, explanation } = await textsOf(look);
    await page.goto(`${running.adminUrl}/console`);
    await page.getByText(start(live.gateways)).waitFor();
    t.equal(await page.getAttribute('html', 'lang'), look.locale.slice(0, 2));
    await requests(opened, ['/orders/1', '/admin/7']);
    await page.locator('.row', { hasText: '/admin/7' }).click();
    await page.getByText(live.remedy).click();
    await page.getByText('any_of: [admin, orders.read]').waitFor();
    t.equal(await page.locator('.steps li[lang=en]').count(), 9);
    t.match(page.url(), /\/console\/live#decision=\d+$/, 'the address has the state');
    t.strictSame(await violations(page), [], 'axe: live');
    await nothingWrong(t, opened, 'live');

    await page.locator('.details').getByText(live.playground).click();
    await page.locator('.explanation').waitFor();
    t.match(await page.locator('.explanation h2').textContent(), /403\s*scope_insufficient/);
    await page.locator('#scope').fill('admin');
    await page.getByRole('button', { name: playground.explain }).click();
    await page.getByText(explanation.forwarded, { exact: true }).waitFor();
    t.match(page.url(), /scope=admin/);
    await page.locator('summary').click();
    await page.getByText('{ forward: true, route: "admin" }').waitFor();
    t.strictSame(await violations(page), [], 'axe: playground');
    await nothingWrong(t, opened, 'playground');

    const shared = page.url();
    await page.goto('about:blank');
    await page.goto(shared);
    await page.getByText(explanation.forwarded, { exact: true }).waitFor();
  });

for (const look of looks)
  t.test(`routes, token and health at ${nameOf(look)}`, { skip }, async (t) => {
    const opened = await open(t, look);
    const { page, running } = opened;
    const { pages, health, routes, token } = await textsOf(look);
    await page.goto(`${running.adminUrl}/console/health`);
    await page.getByText(health.begin).waitFor();
    await requests(opened, ['/orders/1', '/admin/7']);
    await page.getByText(health.graphs.requests).waitFor({ timeout: 15_000 });
    t.equal(await page.locator('canvas').count(), 5);
    t.strictSame(await violations(page), [], 'axe: health');
    await nothingWrong(t, opened, 'health');

    await page.getByRole('link', { name: pages.routes }).click();
    await page.getByLabel(routes.path).fill('/admin/x');
    await page.getByRole('button', { name: routes.try }).click();
    await page.getByText(routes.wins.replace('{route}', 'admin')).waitFor();
    t.match(await page.locator('tr.wins').textContent(), /admin.*1 × scope_insufficient/s);
    t.match(page.url(), /try=%2Fadmin%2Fx/);
    t.strictSame(await violations(page), [], 'axe: routes');
    await nothingWrong(t, opened, 'routes');

    await page.getByRole('link', { name: pages.token }).click();
    await page.getByLabel(token.field).fill(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
    await page.getByRole('button', { name: token.check }).click();
    await page.getByText(token.passes).waitFor();
    t.match(await page.locator('.candidates').textContent(), /admin.*needs admin; missing: admin/);
    t.strictSame(await violations(page), [], 'axe: token');
    await nothingWrong(t, opened, 'token');
    t.notMatch(page.url(), JWT_BEGINS);
    await page.getByRole('link', { name: pages.live }).click();
    await page.goBack();
    t.equal(await page.getByLabel(token.field).inputValue(), '', 'the field is empty after the page was left');
  });

t.test('the address decides about the language, and keeps it on the way to another page', { skip }, async (t) => {
  const opened = await open(t, { locale: 'en-US' });
  const { page, running } = opened;
  const loaded: string[] = [];
  page.on('request', (request) => void loaded.push(...(/texts\/\w+/.exec(request.url()) ?? [])));
  await page.goto(`${running.adminUrl}/console/live#lang=de&filter=status:4xx`);
  await page.getByText('Entscheidungen von').waitFor();
  t.strictSame(loaded, ['texts/de'], 'only this language is loaded');
  t.equal(await page.title(), 'Live – Gatehouse-Konsole');
  await page.getByRole('link', { name: 'Zustand' }).click();
  await page.getByRole('heading', { name: 'Autorisierungsserver' }).waitFor();
  t.match(page.url(), /\/console\/health#lang=de$/);
  await page.goto(`${running.adminUrl}/console/health#lang=fr`);
  await page.getByRole('heading', { name: 'Authorization servers' }).waitFor();
  t.equal(await page.getAttribute('html', 'lang'), 'en', 'a language without texts is as none');
  await nothingWrong(t, opened, 'language');
});

t.test('numbers and times follow the region of the browser', { skip }, async (t) => {
  const rows = [
    ['en-US', /^\d+:\d\d:\d\d\s[AP]M$/, '0.5'],
    ['en-GB', /^\d\d:\d\d:\d\d$/, '0.5'],
    ['de-DE', /^\d\d:\d\d:\d\d$/, '0,5'],
  ] as const;
  for (const [locale, time, half] of rows) {
    const opened = await open(t, { locale: locale as 'en-US' });
    await opened.page.goto(`${opened.running.adminUrl}/console/live`);
    await opened.page.locator('.bar').waitFor();
    const module = `${await opened.page.evaluate<string>('document.querySelector("script[type=module]").src')}`;
    const texts = await opened.page.evaluate<readonly string[]>(
      `import(${JSON.stringify(module.replace('app.js', 'language.js'))}).then((own) => [own.timeText(0), own.numberText(0.5)])`,
    );
    t.match(texts[0], time, locale);
    t.equal(texts[1], half, locale);
  }
});

t.test('an opened ticket says what to do, in the language of the page', { skip }, async (t) => {
  const opened = await open(t, { width: 360, locale: 'de-AT' });
  const { page, running } = opened;
  const { live } = await textsOf({ locale: 'de-AT' });
  const refused = (await (await fetch(`${running.url}/orders/1`)).json()) as { ticket: string };
  await page.goto(`${running.adminUrl}/console/live`);
  await page.getByLabel(live.ticket).fill(refused.ticket);
  await page.keyboard.press('Enter');
  await page.getByText(live.toDo).waitFor();
  t.ok(await page.getByText(entry('credential_missing').remedy.slice(0, 30)).isVisible());
  await nothingWrong(t, opened, 'ticket');
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
  // Until the other tab has its stream, no one watches for a moment, and the gateway keeps no decision of this moment.
  const row = second.locator('.row', { hasText: '/orders/2' }).first();
  const arrives = async () => {
    await requests(opened, ['/orders/2']);
    return row.isVisible();
  };
  t.ok(await until(arrives), 'the other tab gets the decisions');
  t.ok(await until(async () => (await streams()) === 1), 'over one stream');
  await second.close();
  t.ok(await until(async () => (await streams()) === 0), 'the last tab ends the stream');
});
