import t, { type Test } from 'tap';
import { locales, stylesheetAsset } from '../../../src/authorization/pages/pages.ts';
import { violationsIn, violationsInEachLook } from '../../support/axe.ts';
import { browserOf, skipWithoutBrowser } from '../../support/browser.ts';
import { servePages } from './page-server.ts';
import { samples } from './samples.ts';

/** Drives a browser: 55 s in .ci/run, and 140 s on a machine at a third of its speed. */
t.setTimeout(400_000);

const skip = skipWithoutBrowser;
const open = browserOf(t);

const themes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a yellow accent': { '--accent': '#ffd43b' },
  'a theme that nobody could read': {
    '--accent': '#777',
    '--surface': 'light-dark(#888, #777)',
    '--text': '#888',
    '--muted': '#808080',
    '--danger': '#778',
    '--border': '#888',
  },
};

for (const lang of locales)
  t.test(`axe finds nothing on any page, narrow or wide, in either scheme: ${lang}`, { skip }, async (t) => {
    await inspect(t, Object.keys(samples), {}, lang);
  });

for (const [title, theme] of Object.entries(themes))
  t.test(`axe finds nothing with ${title}`, { skip }, async (t) => {
    await inspect(t, ['login-refused', 'consent', 'account'], theme);
  });

type Theme = Readonly<Record<string, string>>;

async function inspect(t: Test, names: readonly string[], theme: Theme, lang = 'en'): Promise<void> {
  const server = await servePages(t, { lang, assets: [stylesheetAsset(theme)] });
  const page = await open(t, { bypassCSP: true });
  for (const name of names) {
    await page.goto(server.at(name));
    t.strictSame(await violationsInEachLook(page), [], name);
  }
}

t.test('axe finds faults in a page that is not readable', { skip }, async (t) => {
  const server = await servePages(t, { assets: [stylesheetAsset()] });
  const page = await open(t, { bypassCSP: true });
  await page.goto(server.at('login'));
  await page.addStyleTag({ content: ':root { --text: #999 !important; }' });
  t.match((await violationsIn(page)).join(), 'color-contrast');
});
