import type { Page } from 'playwright-core';
import t from 'tap';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { connectTo, type RawClient } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import { slowRelay } from '../../support/slow-relay.ts';
import { jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { readLive } from './live-reader.ts';
import { consoleOf, nothingWrong, shown, textsOf } from './opened-console.ts';

/** Starts a browser, and fills the buffers of the system: 20 s on a busy machine. */
t.setTimeout(120_000);

const open = consoleOf(t);

/** Pixels of a row. */
const ROW = 36;

/** How many decisions the page has in its list. Only the visible ones are in the document. */
async function listed(page: Page): Promise<number> {
  const height = await page.evaluate<number>("document.querySelector('.list > div').offsetHeight");
  return height / ROW;
}

/** The count in this text of the page. 0: the page does not show the text. */
async function counted(page: Page, text: string): Promise<number> {
  const [before = '', after = ''] = text.split('{count}');
  const missing = await page.locator('.bar > span').last().innerText();
  const [, count = '0'] = new RegExp(`${before}([\\d.,\\s]+)${after}`).exec(missing) ?? [];
  return Number(count.replaceAll(/\D/g, ''));
}

/** Sends the requests at once, and reads their answers. */
async function flood(client: RawClient, bytes: Buffer, count: number): Promise<void> {
  client.send(Buffer.concat(Array.from({ length: count }, () => bytes)));
  for (let answers = 0; answers < count; answers++) await client.read();
}

t.test('the page says that it connects until its stream is open', { skip }, async (t) => {
  const { page, running } = await open(t);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/api\/decisions/, async (route) => {
    if (route.request().resourceType() === 'eventsource') await released;
    await route.continue();
  });
  const kept = page.waitForResponse(/\/api\/decisions/);
  await page.goto(`${running.adminUrl}/console/live`);
  await (await kept).finished();
  await shown(page);
  t.equal(await page.locator('.bar [role=status]').innerText(), 'Connecting …');
  release();
  await page.getByText('Decisions of').waitFor();
});

for (const locale of ['en-US', 'de-AT'] as const)
  t.test(`the page counts the decisions that were too many to show: ${locale}`, { skip }, async (t) => {
    const opened = await open(t, { width: 360, locale });
    const { page, running } = opened;
    const { live } = await textsOf({ locale });
    await page.goto(`${running.adminUrl}/console/live`);
    await page.getByText(live.gateways.split('{')[0]).waitFor();
    t.equal(await counted(page, live.tooMany), 0);
    const client = await connectTo(running.port);
    t.teardown(() => client.destroy());
    await flood(client, requestText({ target: '/none' }), 1_500);
    t.ok(
      await until(async () => (await listed(page)) + (await counted(page, live.tooMany)) === 1_500),
      `${await listed(page)} and ${await counted(page, live.tooMany)} of 1,500`,
    );
    t.ok((await counted(page, live.tooMany)) > 0);
    t.equal(await counted(page, live.tooSlow), 0);
    await nothingWrong(t, opened, 'left out');
  });

/** Characters. Linux keeps at most 4 MiB for the sender, and 128 KiB for a receiver that never reads. */
const MORE_THAN_BUFFERED = 6_000_000;

t.test('the page counts the decisions that it did not read in time', { skip }, async (t) => {
  const { page, running } = await open(t);
  const { live } = await textsOf({ locale: 'en-US' });
  const relay = await slowRelay(t, running.adminUrl ?? '');
  await page.goto(`${relay.url}/console/live`);
  await page.getByText('Decisions of').waitFor();
  relay.pause();
  // The other viewer shows that the gateway has sent more than the buffers of the system hold.
  const reads = await readLive(t, running.adminUrl);
  const client = await connectTo(running.port);
  t.teardown(() => client.destroy());
  // A record has the scopes of the token.
  const scope = Array.from({ length: 400 }, (_, index) => `scope-number-${index}`).join(' ');
  const headers = [bearer(await jwt({ scope }, { alg: 'HS256' }))];
  const bytes = requestText({ target: '/orders/1', headers });
  let requests = 0;
  for (; reads.text().length < MORE_THAN_BUFFERED; requests += 10) await flood(client, bytes, 10);
  relay.resume();
  const shown = async () =>
    (await listed(page)) + (await counted(page, live.tooMany)) + (await counted(page, live.tooSlow));
  t.ok(await until(async () => (await shown()) === requests), `${await shown()} of ${requests}`);
  t.ok((await counted(page, live.tooSlow)) > 0, `${await counted(page, live.tooSlow)} were too much for the page`);
});
