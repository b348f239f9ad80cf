// `npm run pictures`: runs the demo, and takes the pictures of the console and of the service's pages with Chromium.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../test/support/browser.ts';
import { takeConsole } from './console.ts';
import { showExample } from './example.ts';
import { fixDate } from './fixed-date.ts';
import { withPalette } from './png.ts';
import { clock, runDemo } from './running.ts';
import { takeSignIn } from './sign-in.ts';

const help = `Usage: npm run pictures -- [options]

Runs the demo on free ports, and takes a picture of each page of the console and of the login, the consent, the
account and the client page. It needs Chromium. Look at each picture before you commit it.

  --out DIR     the folder that gets the pictures (default: docs/pictures)
  --help        prints this text

Example: npm run pictures -- --out /tmp/pictures`;

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'docs/pictures' }, help: { type: 'boolean', default: false } },
});

/** Pixels: the width of the pictures, and the space below the content. */
const walks = [
  { walk: takeConsole, width: 1280, below: 0 },
  { walk: takeSignIn, width: 860, below: 64 },
] as const;

async function main(): Promise<void> {
  const folder = resolve(values.out);
  mkdirSync(folder, { recursive: true });
  const demo = await runDemo();
  const browser = await launchBrowser();
  try {
    for (const { walk, width, below } of walks) {
      const page = await openPage(browser, width);
      await walk(page, demo, async (name) => {
        await showExample(page, demo);
        write(folder, name, withPalette(await screenshot(page, width, below)));
      });
    }
  } finally {
    await browser.close();
    await demo.stop();
  }
}

/** As a browser of another year would open the same page. */
async function openPage(browser: Browser, width: number): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
  });
  await fixDate(page, clock.now);
  return page;
}

/** From the top of the page to the end of its content. */
async function screenshot(page: Page, width: number, below: number): Promise<Buffer> {
  const end = await page.evaluate<number>('document.querySelector("main").getBoundingClientRect().bottom');
  const clip = { x: 0, y: 0, width, height: Math.ceil(end + below) };
  return page.screenshot({ fullPage: true, clip, caret: 'hide' });
}

function write(folder: string, name: string, picture: Buffer): void {
  writeFileSync(join(folder, `${name}.png`), picture);
  console.log(`${name}.png: ${Math.ceil(picture.length / 1024)} KiB`);
}

if (values.help) console.log(help);
else await main();
