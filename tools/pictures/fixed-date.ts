import type { Page } from 'playwright-core';

/**
 * From its next address on, the page has this time, which stands still. Its timers run. Playwright's own clock does not
 * suit: it compares the page's real time with the time of this process, which the demo has replaced. If these differ by
 * certain numbers of days, no timer of the page runs.
 * @param now milliseconds since the epoch
 */
export async function fixDate(page: Page, now: number): Promise<void> {
  // The order of several such scripts is undefined. Time never steps back, so the latest time counts.
  await page.addInitScript(`
    globalThis.Date = class Fixed extends Date {
      static latest = Math.max(${now}, Date.latest ?? 0);
      constructor(...parts) {
        super(...(parts.length === 0 ? [Fixed.latest] : parts));
      }
      static now() {
        return Fixed.latest;
      }
    };`);
}
