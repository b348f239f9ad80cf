import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** `CHROMIUM` is used as given: a wrong path must fail, not skip. */
const executablePath = process.env.CHROMIUM || onPath();

/** For `t.test(title, { skip: skipWithoutBrowser }, …)`: false, or the reason. */
export const skipWithoutBrowser: false | string =
  executablePath === undefined ? 'no chromium on the PATH, and CHROMIUM names none' : false;

/** A new page in a separate profile, closed with its test. */
export type OpenPage = (t: Test, options?: BrowserContextOptions) => Promise<Page>;

/** One headless browser for a file. The first page starts it, and `t`, the test of the whole file, closes it. */
export function browserOf(t: Test): OpenPage {
  let browser: Promise<Browser> | undefined;
  t.teardown(async () => (await browser)?.close());
  return async (t, options = {}) => {
    browser ??= launchBrowser();
    const context = await (await browser).newContext(options);
    t.teardown(() => context.close());
    return context.newPage();
  };
}

/** Headless. The caller closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ['--no-sandbox'] });
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
