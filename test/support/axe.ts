import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Resolves when no color changes any more. A change of the color scheme starts transitions, whose colors axe would judge. */
export const STEADY = 'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))';

/** What axe finds on the page, whatever its impact. `rules`: only these. */
export async function violationsIn(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const { violations } = await page.evaluate<axe.AxeResults>(`${STEADY}.then(() => axe.run(${options}))`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} ${html} ${failureSummary}`),
  );
}

/** Every rule on a wide and on a narrow page, and the contrast in both color schemes. */
export async function violationsInEachLook(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
      for (const violation of await violationsIn(page, rules)) found.push(`${colorScheme} ${width}: ${violation}`);
    }
  return found;
}
