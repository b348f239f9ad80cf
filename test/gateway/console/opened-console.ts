import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { STEADY } from '../../support/axe.ts';
import { browserOf } from '../../support/browser.ts';
import { behind, gateway, type TestGateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';
import { witness } from '../../support/witness.ts';

/** A page, and what went wrong on it. */
export interface OpenedPage {
  readonly page: Page;
  /** Faults that the browser noticed: refused content, errors of scripts, requests to another origin. */
  readonly faults: readonly string[];
}

export interface OpenedConsole extends OpenedPage {
  readonly running: TestGateway;
}

/** How a browser shows the pages. */
export interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly locale: 'en-US' | 'de-AT';
}

export const looks: readonly Look[] = (['en-US', 'de-AT'] as const).flatMap((locale) =>
  [1280, 360].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme, locale }))),
);

export const nameOf = ({ width, colorScheme, locale }: Look) => `${width} px, ${colorScheme}, ${locale}`;

/** The texts of a language. What the API answers is in English in each. */
export async function textsOf({ locale }: Pick<Look, 'locale'>) {
  const file = `../../../src/gateway/console/console-page/texts/${locale.slice(0, 2)}.js`;
  return (await import(new URL(file, import.meta.url).href)).texts;
}

/** A text up to its first value. */
export const start = (text: string) => text.slice(0, text.indexOf('{'));

/** Resolves when the page has shown what its scripts have set: two frames later. */
export async function shown(page: Page): Promise<void> {
  await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))');
}

/** Opens pages in one browser for a file. */
export function pagesOf(t: Test) {
  const openPage = browserOf(t);
  return async (t: Test, origin: string, look: Partial<Look> = {}): Promise<OpenedPage> => {
    const { width = 1280, colorScheme = 'light', locale = 'en-US' } = look;
    const page = await openPage(t, { viewport: { width, height: 800 }, colorScheme, locale });
    return { page, faults: await faultsOf(page, origin) };
  };
}

/** Opens pages of consoles, each of its own gateway. */
export function consoleOf(t: Test) {
  const open = pagesOf(t);
  return async (t: Test, look: Partial<Look> = {}): Promise<OpenedConsole> => {
    const upstream = await witness(t);
    const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
    return { running, ...(await open(t, running.adminUrl ?? '', look)) };
  };
}

async function faultsOf(page: Page, origin: string): Promise<readonly string[]> {
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => new URL(request.url()).origin !== origin && faults.push(request.url()));
  await page.addInitScript(() => {
    const root = globalThis as unknown as { refused: string[]; addEventListener: (...of: unknown[]) => void };
    root.refused = [];
    root.addEventListener('securitypolicyviolation', (event: { violatedDirective: string }) =>
      root.refused.push(event.violatedDirective),
    );
  });
  return faults;
}

export async function nothingWrong(t: Test, { page, faults }: OpenedPage, what: string): Promise<void> {
  t.strictSame(await page.evaluate('refused'), [], `${what}: reports of the policy`);
  t.strictSame(faults, [], `${what}: faults`);
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  t.equal(over, 0, `${what}: overflow`);
}

/** Axe runs outside of the page's policy, so in a context of its own through the debugger. `rules`: only these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setBypassCSP', { enabled: true });
  await session.send('Runtime.evaluate', { expression: axe.source });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      `${STEADY}.then(() => axe.run(${JSON.stringify({ ...(rules && { runOnly: rules }) })}))` +
      '.then(({ violations }) => violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => [impact, id, html].join(" "))))',
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as readonly string[];
}

export async function requests({ running }: OpenedConsole, paths: readonly string[]): Promise<void> {
  const authorization = `Bearer ${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}`;
  for (const path of paths) await fetch(running.url + path, { headers: { authorization } });
}

/** Axe, the policy, faults and overflow at both widths, light and dark. In the dark, axe judges only the colors. */
export async function goodInEachLook(t: Test, opened: OpenedPage, what: string): Promise<void> {
  const { page } = opened;
  for (const width of [1280, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
      t.strictSame(await violations(page, rules), [], `${what}: axe, ${width}, ${colorScheme}`);
      await nothingWrong(t, opened, `${what}, ${width}, ${colorScheme}`);
    }
}
