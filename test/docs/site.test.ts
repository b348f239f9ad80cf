import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { buildSite, server } from '../../tools/site/build-site.ts';
import { siteFaults } from '../../tools/site/check-site.ts';
import { place, root, skipWithoutSite } from '../../tools/site/place.ts';
import { browserOf, skipWithoutBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Builds all pages: 12 s of a processor, and more than 30 s on a busy machine. */
t.setTimeout(180_000);

const base = '/some/where/';
const skip = skipWithoutSite || skipWithoutBrowser;
const openPage = browserOf(t);

/** Built once for this file. */
const outDir = temporaryFolder(t);
if (skipWithoutSite === false) buildSite({ base, outDir });

const read = (file: string) => readFileSync(join(outDir, file), 'utf8');

t.test('every page of docs/ is a page of the site, with its title', { skip: skipWithoutSite }, async (t) => {
  const pages = globSync('docs/**/*.md', { cwd: root }).sort();
  t.ok(pages.length > 60, `${pages.length} pages`);
  for (const page of pages) {
    const [, title = ''] = /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8')) ?? [];
    const html = read(page.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'));
    const [, heading = ''] = /<h1[^>]*>(.*?)<a /s.exec(html) ?? [];
    t.equal(textOf(heading), title.replaceAll('`', ''), page);
  }
});

/** Without tags, and with the characters that HTML escapes. */
function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim();
}

t.test(
  'every link leads to a file and a heading, and nothing loads from elsewhere',
  { skip: skipWithoutSite },
  async (t) => {
    t.strictSame(siteFaults(outDir, base), []);
  },
);

/** Serves the built site until the test ends. @returns the address of its first page. */
async function served(t: Test): Promise<string> {
  const port = await freePort();
  const [program, args] = server(port);
  const child = spawn(process.execPath, [join(place, 'node_modules', program), ...args], { cwd: place });
  t.teardown(() => child.kill());
  for await (const chunk of child.stdout) if (String(chunk).includes(String(port))) break;
  return `http://127.0.0.1:${port}${base}`;
}

/** Requests of a page for addresses outside `home`, and for files that its server does not have. */
function strays(page: Page, home: string): readonly string[] {
  const found: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith('data:')) found.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) found.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => found.push(error.message));
  return found;
}

t.test(
  'a reader below a sub-path searches for a phrase, follows the sidebar and contacts no other host',
  { skip },
  async (t) => {
    const home = await served(t);
    const page = await openPage(t);
    const found = strays(page, home);
    await page.goto(home);
    await page.getByRole('button', { name: 'Search' }).click();
    // One input event: letters typed one by one would first show results for a part of the phrase.
    await page.locator('.VPLocalSearchBox input').fill('native sidecar restartPolicy');
    await page.locator('.results a').first().click();
    await page.waitForURL(`${home}docs/cookbook/kubernetes-sidecar.html**`);
    await page.locator('.VPSidebar').getByRole('link', { name: 'Vocabulary' }).click();
    await page.getByRole('heading', { level: 1, name: 'Vocabulary' }).waitFor();
    const picture = page.locator('main img').first();
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction("document.querySelector('main img').naturalWidth > 0");
    t.strictSame(found, []);
  },
);

t.test('the site is dark if the reader prefers it', { skip }, async (t) => {
  const home = await served(t);
  const colors: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openPage(t, { colorScheme });
    await page.goto(`${home}docs/`);
    colors.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
  }
  t.strictSame(colors, ['rgb(255, 255, 255)', 'rgb(27, 27, 31)']);
});
