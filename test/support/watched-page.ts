import type { Page } from 'playwright-core';

export interface Watched {
  /** What went wrong so far: reports of the policy, errors of scripts, missing files, and requests to other origins. */
  readonly faults: readonly string[];
  /** The number of policy reports so far. */
  readonly reports: () => number;
}

/** Watches the page from now on. `origins`: the page and its parts may come from these. */
export async function watch(page: Page, origins: readonly string[]): Promise<Watched> {
  const faults: string[] = [];
  let reports = 0;
  await page.exposeFunction('reportPolicy', (report: string) => {
    reports += 1;
    faults.push(report);
  });
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    window.reportPolicy(\`\${event.violatedDirective} blocks \${event.blockedURI} on \${location.pathname}\`))`);
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('dialog', (dialog) => void faults.push(`a dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && !origins.includes(url.origin)) faults.push(`a request to ${url.origin}`);
  });
  page.on('response', (response) => {
    const isPart = !['document', 'fetch'].includes(response.request().resourceType());
    if (isPart && response.status() >= 400) faults.push(`${response.status()} for ${response.url()}`);
  });
  return { faults, reports: () => reports };
}

/** The widths at which the page scrolls sideways. */
export async function overflowing(page: Page): Promise<readonly number[]> {
  const found: number[] = [];
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    if ((await page.evaluate<number>('document.documentElement.scrollWidth')) > width) found.push(width);
  }
  return found;
}
