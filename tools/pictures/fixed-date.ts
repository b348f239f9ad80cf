import type { Page } from 'playwright-core';

/**
 * From its next address on, the page has this time, which stands still. Its timers run. Playwright's own clock does not
 * suit: it compares the page's real time with the time of this process, which the demo has replaced. If these differ by
 * certain numbers of days, no timer of the page runs.
 * @param now milliseconds since the epoch
 */
export async function fixDate(page: Page, now: number): Promise<void> {
  await page.addInitScript(`
    globalThis.Date = class extends Date {
      constructor(...parts) {
        super(...(parts.length === 0 ? [${now}] : parts));
      }
      static now() {
        return ${now};
      }
    };`);
}
