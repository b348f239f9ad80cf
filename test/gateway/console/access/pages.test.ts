import Fastify from 'fastify';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import {
  type LoginFault,
  sendArrival,
  sendFault,
  sendSignedOut,
  sendWayToLogin,
} from '../../../../src/gateway/console/access/pages.ts';
import { loginLanguages } from '../../../../src/gateway/console/access/texts/languages.ts';
import type { LoginTexts } from '../../../../src/gateway/console/access/texts/texts.ts';
import { skipWithoutBrowser as skip } from '../../../support/browser.ts';
import { goodInEachLook, type Look, pagesOf } from '../opened-console.ts';

/** Shows eleven pages in eight looks: 30 s on a busy machine. */
t.setTimeout(120_000);

const open = pagesOf(t);
const [english] = loginLanguages;

/** Where the pages lead. An answer without content keeps the page that led there. */
const NEXT = '/console/login';

/** The pages on a listener. Every fault has a page, and a page is the answer at its name. */
async function serve(t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true });
  app.get(NEXT, (_request, reply) => reply.code(204).send());
  app.get('/arrived', (_request, reply) => sendArrival(reply, NEXT));
  app.get('/needed', (_request, reply) => sendWayToLogin(reply, NEXT));
  app.get('/loggedOut', (_request, reply) => sendSignedOut(reply));
  for (const fault of Object.keys(english.faults))
    app.get(`/${fault}`, (_request, reply) => sendFault(reply, fault as LoginFault));
  t.teardown(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Page → what it says. */
function said({ arrived, needed, loggedOut, faults, again }: LoginTexts) {
  const others = Object.entries({ loggedOut, ...faults }).map(([name, told]) => [name, { ...told, link: again }]);
  return Object.entries({ arrived, needed, ...Object.fromEntries(others) }) as [string, LoginTexts['arrived']][];
}

/** The script of this page ends the page at once. Only a browser without scripts shows the page. */
async function withoutScript(page: Page): Promise<void> {
  await page.route('**/needed', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/<script>.*<\/script>/s, '');
    await route.fulfill({ response, body });
  });
}

for (const texts of loginLanguages)
  t.test(
    `every page of the login is readable in each look, and breaks no policy: ${texts.lang}`,
    { skip },
    async (t) => {
      const origin = await serve(t);
      const opened = await open(t, origin, { locale: `${texts.lang}-AT` as Look['locale'] });
      const { page } = opened;
      await withoutScript(page);
      for (const [name, { title, text, link }] of said(texts)) {
        // A page that leads on at once has no end of its load.
        await page.goto(`${origin}/${name}`, { waitUntil: 'commit' });
        await page.locator('a').waitFor();
        t.equal(await page.getAttribute('html', 'lang'), texts.lang);
        t.strictSame(await page.locator('h1, p, a').allInnerTexts(), [title, text, link, link], name);
        // The browser itself reports the status of a page as an error.
        const faults = opened.faults.filter((fault) => !/status of [45]\d\d/.test(fault));
        await goodInEachLook(t, { page, faults }, name);
      }
    },
  );

t.test('a browser without a known language gets the pages in English', async (t) => {
  const origin = await serve(t);
  for (const accepted of ['fr', 'de;q=0', '*']) {
    const response = await fetch(`${origin}/denied`, { headers: { 'accept-language': accepted } });
    t.equal(response.status, 403);
    t.match(await response.text(), english.faults.denied.title, accepted);
  }
});

t.test('each language has its own words', async (t) => {
  const words = loginLanguages.map((texts) => new Map(said(texts)));
  for (const [name, told] of words[0] ?? [])
    for (const other of words.slice(1)) t.not(other.get(name)?.text, told.text, name);
});
