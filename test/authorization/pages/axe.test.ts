import axe from 'axe-core';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { stylesheetAsset } from '../../../src/authorization/pages/pages.ts';
import { browserOf, skipWithoutBrowser } from '../../support/browser.ts';
import { servePages } from './page-server.ts';
import { samples } from './samples.ts';

/** Drives a browser: 22 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const skip = skipWithoutBrowser;
const open = browserOf(t);
const schemes = ['light', 'dark'] as const;

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

t.test('axe finds nothing on any page in either scheme', { skip }, async (t) => {
  await inspect(t, Object.keys(samples), {});
});

for (const [title, theme] of Object.entries(themes))
  t.test(`axe finds nothing with ${title}`, { skip }, async (t) => {
    await inspect(t, ['login-refused', 'consent', 'account'], theme);
  });

async function inspect(t: Test, names: readonly string[], theme: Readonly<Record<string, string>>): Promise<void> {
  const server = await servePages(t, { assets: [stylesheetAsset(theme)] });
  for (const colorScheme of schemes) {
    const page = await open(t, { colorScheme, bypassCSP: true });
    for (const name of names) {
      await page.goto(server.at(name));
      t.strictSame(await violations(page), [], `${name} ${colorScheme}`);
    }
  }
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} ${html} ${failureSummary}`),
  );
}

t.test('axe finds faults in a page that is not readable', { skip }, async (t) => {
  const server = await servePages(t, { assets: [stylesheetAsset()] });
  const page = await open(t, { bypassCSP: true });
  await page.goto(server.at('login'));
  await page.addStyleTag({ content: ':root { --text: #999 !important; }' });
  t.match((await violations(page)).join(), 'color-contrast');
});
