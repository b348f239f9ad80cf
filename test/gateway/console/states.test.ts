import type { Page, Request, Route } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { behind, gateway, routes } from '../../support/gateway.ts';
import { group } from '../../support/group.ts';
import { type ReloadableGateway, reloadable } from '../../support/reloadable.ts';
import { hmacServer } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';
import { goodInEachLook, type Look, pagesOf, shown, start, textsOf } from './opened-console.ts';

/** Starts a group of processes, and drives a browser through four looks of each state: 60 s on a busy machine. */
t.setTimeout(240_000);

const open = pagesOf(t);
const locales: readonly Look['locale'][] = ['en-US', 'de-AT'];

/** A gateway that follows one gateway that answers and one that does not. Its file was reloaded. */
async function reloaded(t: Test): Promise<ReloadableGateway> {
  const upstream = await witness(t);
  const other = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const replicas = [{ url: other.adminUrl }, { url: `http://127.0.0.1:${await freePort()}` }];
  const file = behind(upstream.url, { admin: { listen: '127.0.0.1:0', replicas } });
  const [open, admin, orders] = routes;
  const main = { ...hmacServer.main, clock_skew: '31s' };
  const running = await reloadable(t, file);
  const changed = [open, { ...admin, scope: undefined, access: 'public' }, { ...orders, scope: 'orders.write' }];
  t.match(await running.take({ ...file, authorization_servers: { main }, routes: changed }), { ok: true });
  return running;
}

/** The thread that judges pasted files has started, and answers in time. */
async function judges(admin: string | undefined): Promise<boolean> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"yaml":""}' };
  return until(async () => (await fetch(`${admin}/api/check`, init)).ok);
}

async function paste(page: Page, words: Record<string, string>, text: string): Promise<void> {
  await page.getByLabel(words.file ?? '').check();
  await page.getByLabel(words.editor ?? '').fill(text);
}

for (const locale of locales)
  t.test(`a paused page, a lost gateway, a faulty file and a reload in each look: ${locale}`, { skip }, async (t) => {
    const running = await reloaded(t);
    const opened = await open(t, running.adminUrl ?? '', { locale });
    const { page } = opened;
    const { live, playground, routes } = await textsOf({ locale });
    await page.goto(`${running.adminUrl}/console/live`);
    await page.getByText(start(live.lost)).waitFor();
    t.match(await page.locator('.bar [role=status]').innerText(), /:\d+, .*:\d+.*ECONNREFUSED/s);
    await page.getByRole('button', { name: live.pause }).click();
    for (const path of ['/public/1', '/none']) await (await fetch(running.url + path)).text();
    const resume = page.getByRole('button', { name: live.resume.replace('{count}', '2') });
    await resume.waitFor();
    t.equal(await page.locator('.row').count(), 0, 'a paused page shows nothing new');
    await goodInEachLook(t, opened, 'paused');
    await resume.click();
    t.ok(await until(async () => (await page.locator('.row').count()) === 2));

    t.ok(await judges(running.adminUrl));
    await page.goto(`${running.adminUrl}/console/playground`);
    await paste(page, playground, 'version: 1\nlisten: 127.0.0.1:0\nroutez: []\n');
    await page.locator('.gutter .error').first().waitFor();
    t.match(await page.locator('.problems').innerText(), 'routez');
    await page.getByLabel(playground.url).fill('/orders/1');
    await page.getByRole('button', { name: playground.explain }).click();
    await page.getByText(playground.badFile).waitFor();
    // The browser itself reports an answer of 422 as an error.
    const own = opened.faults.filter((fault) => !fault.includes('422'));
    await goodInEachLook(t, { page, faults: own }, 'a file with errors');

    await page.goto(`${running.adminUrl}/console/routes`);
    await page.getByRole('heading', { name: routes.opened }).waitFor();
    await page.getByRole('heading', { name: routes.closed }).waitFor();
    await page.getByRole('heading', { name: routes.settings }).waitFor();
    await goodInEachLook(t, { page, faults: own }, 'after a reload');
  });

/** An answer of `/api/decisions` as JSON, from before the gateway lost a replica. */
async function olderGreeting(route: Route): Promise<object> {
  const greeting = await (await route.fetch()).json();
  return { ...greeting, replicas: greeting.replicas.map(({ url }: { url: string }) => ({ url })) };
}

const isJson = (request: Request) => !request.headers().accept?.includes('event-stream');

t.test('an older answer that arrives late does not hide that a gateway is lost', { skip }, async (t) => {
  const running = await reloaded(t);
  const { page } = await open(t, running.adminUrl ?? '');
  const { live } = await textsOf({ locale: 'en-US' });
  const lost = page.getByText(start(live.lost));
  await page.route('**/api/decisions?*', async (route) => {
    if (!isJson(route.request())) return route.continue();
    const json = await olderGreeting(route);
    await lost.waitFor();
    return route.fulfill({ json });
  });
  const late = page.waitForResponse((response) => /decisions/.test(response.url()) && isJson(response.request()));
  await page.goto(`${running.adminUrl}/console/live`);
  await (await late).finished();
  await (await fetch(`${running.url}/public/1`)).text();
  await page.locator('.row').first().waitFor();
  t.equal(await lost.count(), 1);
});

t.test('a filter that was refused has no message beside the next filter', { skip }, async (t) => {
  const running = await reloaded(t);
  const { page } = await open(t, running.adminUrl ?? '');
  const { live } = await textsOf({ locale: 'en-US' });
  const next = Promise.withResolvers<void>();
  let [asked, answered] = [0, 0];
  await page.route('**/api/decisions?filter=stauts*', async (route) => {
    if (!isJson(route.request())) return route.continue();
    const response = await route.fetch();
    asked++;
    await next.promise;
    await route.fulfill({ response });
    answered++;
  });
  await page.goto(`${running.adminUrl}/console/live#filter=stauts%3A4xx`);
  t.ok(await until(() => asked === 2), 'for the kept decisions, and why the stream is refused');
  await page.getByLabel(live.filter).fill('status:4xx');
  await page.getByRole('button', { name: live.apply, exact: true }).click();
  await page.getByText(start(live.lost)).waitFor();
  next.resolve();
  t.ok(await until(() => answered === 2));
  await shown(page);
  t.equal(await page.getByRole('alert').count(), 0);
});

t.test(
  'a text that the gateway is too busy to check has no marks of an older one, and is checked later',
  { skip },
  async (t) => {
    const running = await reloaded(t);
    const { page } = await open(t, running.adminUrl ?? '');
    const { playground } = await textsOf({ locale: 'en-US' });
    t.ok(await judges(running.adminUrl));
    await page.goto(`${running.adminUrl}/console/playground`);
    await paste(page, playground, 'version: 1\nlisten: 127.0.0.1:0\nroutez: []\n');
    await page.locator('.gutter .error').first().waitFor();
    await page.route('**/api/check', (route) => route.fulfill({ status: 503, json: { error: 'busy' } }));
    await page.getByLabel(playground.editor).fill('version: 1\n');
    await page.getByText(playground.unchecked).waitFor();
    t.equal(await page.locator('.gutter .error').count(), 0);
    await page.unroute('**/api/check');
    await page.locator('.problems').waitFor();
  },
);

t.test('the page says how many workers a gateway has, in each look', { skip }, async (t) => {
  const upstream = await witness(t);
  const { adminUrl } = await group(t, behind(upstream.url), 2);
  for (const locale of locales) {
    const opened = await open(t, adminUrl, { locale });
    const { live } = await textsOf({ locale });
    await opened.page.goto(`${adminUrl}/console/live`);
    await opened.page.getByText(live.workers.other.replace('{gateway} ', '').replace('{count}', '2')).waitFor();
    await goodInEachLook(t, opened, `workers, ${locale}`);
  }
});
