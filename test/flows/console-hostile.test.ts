// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a hostile text may look like a template
import type { Page } from 'playwright-core';
import t from 'tap';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { behind, gateway } from '../support/gateway.ts';
import { random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Drives a browser through hundreds of decisions: 40 s on a busy machine. */
t.setTimeout(240_000);

const openPage = browserOf(t);
const STRINGS = 500;

/** Ways to leave a text, an attribute, a script, a style or a template. `#` becomes the number of the string. */
const shapes = [
  '<script>hit(#)</script>',
  '"><img src=x onerror=hit(#)>',
  "'><svg/onload=hit(#)>",
  '</title><script>hit(#)</script>',
  'javascript:hit(#)',
  '<iframe srcdoc="<script>parent.hit(#)</script>">',
  '<a href="javascript:hit(#)">x</a>',
  '<base href=//evil.example/#>',
  '<link rel=stylesheet href=//evil.example/#>',
  '<meta http-equiv=refresh content="0;url=//evil.example/#">',
  '<style>@import "//evil.example/#"</style>',
  '<form action=//evil.example/#><input name=x autofocus onfocus=hit(#)>',
  '<details open ontoggle=hit(#)>',
  '</textarea><script>hit(#)</script>',
  '--></script><script>hit(#)</script>',
  '${hit(#)}',
  '{{constructor.constructor("hit(#)")()}}',
  '`-hit(#)-`',
  '\\u003cscript\\u003ehit(#)',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=hit(#)>',
  '\u202e<script>hit(#)</script>',
  '\u2028hit(#)//',
  '<img src=//evil.example/#>',
  '<object data=//evil.example/#>',
  '__proto__#',
  'constructor#',
  'data: {"decisions":[#]}',
];

function hostile(): readonly string[] {
  const dice = random(500);
  const pads = ['', ' ', '/', '&', '&lt;', '&#x3c;', '%3c', '\t', "'", '"', '\\', 'x'.repeat(80)];
  return Array.from({ length: STRINGS }, (_, index) => {
    const shape = shapes[index % shapes.length] as string;
    return dice.pick(pads) + shape.replaceAll('#', String(index)) + dice.pick(pads);
  });
}

/** Counts what ran, and what the page got that is not its own. */
async function watch(page: Page, origin: string): Promise<() => Promise<readonly unknown[]>> {
  const events: unknown[] = [];
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => events.push('dialog')));
  page.on('pageerror', ({ message }) => events.push(message));
  page.on('request', (request) => new URL(request.url()).origin !== origin && events.push(request.url()));
  await page.addInitScript(() => {
    const root = globalThis as unknown as Record<string, unknown> & { addEventListener: (...of: unknown[]) => void };
    const hits: unknown[] = [];
    root.hits = hits;
    root.hit = (number: unknown) => hits.push(number);
    root.addEventListener('securitypolicyviolation', (event: { blockedURI: string }) => hits.push(event.blockedURI));
  });
  const foreign = `[...document.querySelectorAll('script, iframe, img, object, base, svg, math, style, form form, link, meta')]
    .filter((each) => !document.head.contains(each)).map((each) => each.outerHTML)`;
  return async () => [
    ...events,
    ...(await page.evaluate<unknown[]>('hits')),
    ...(await page.evaluate<unknown[]>(foreign)),
  ];
}

const latin1 = (text: string) => text.replaceAll(/[^\x20-\xff]/g, '?');

t.test(
  'nothing in a path, a header, a client, a claim or a route runs in the console or breaks out',
  { skip },
  async (t) => {
    const upstream = await witness(t);
    const strings = hostile();
    const routes = strings.slice(0, 20).map((id, index) => ({
      id: id.replaceAll('${', () => '$${'),
      match: { path: `/r${index}/{rest*}` },
      scope: 'read',
    }));
    const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', routes }));
    const admin = running.adminUrl as string;
    const page = await openPage(t);
    const wrong = await watch(page, admin);
    await page.goto(`${admin}/console/live`);
    await page.getByText('Decisions of').waitFor();
    for (const [index, text] of strings.entries()) {
      const token = await jwt({ scope: text, sub: text, client_id: text, [text]: text }, { alg: 'HS256' });
      const target =
        index % 2 === 0
          ? `/r${index % 20}/${encodeURIComponent(text.toWellFormed())}`
          : `/${latin1(text).replaceAll(/\s/g, '+')}`;
      const headers = [
        ['Authorization', `Bearer ${token}`],
        ['User-Agent', latin1(text)],
        ['Connection', 'close'],
      ] as const;
      await ask(running.port, requestText({ target, headers }));
      // The page shows at most so many decisions a second.
      if (index % 20 === 19) await page.locator('.row').first().waitFor();
    }
    t.strictSame(await wrong(), [], 'live');
    await page.locator('.row').first().click();
    for (let row = 0; row < 60; row++) {
      await page.keyboard.press('ArrowDown');
      await page.locator('.details .steps').waitFor();
      const remedy = page.locator('.remedy summary');
      if (await remedy.count()) await remedy.click();
    }
    t.strictSame(await wrong(), [], 'details');
    await page.goto(`${admin}/console/routes`);
    await page.locator('tbody tr').nth(19).waitFor();
    t.strictSame(await wrong(), [], 'routes');
    for (const text of strings.filter((_, index) => index % 10 === 0)) {
      const state = new URLSearchParams({
        method: 'GET',
        url: `/r1/${text}`,
        as: 'scope',
        scope: text,
        claims: JSON.stringify({ sub: text }),
        mcp: text,
        headers: `X-A: ${text}`,
      });
      await page.goto(`${admin}/console/playground#${state}`);
      await page.reload();
      await page.locator('.explanation, .alert').first().waitFor();
      t.strictSame(await wrong(), [], `playground: ${strings.indexOf(text)}`);
    }
    for (const text of strings.filter((_, index) => index % 25 === 0)) {
      await page.goto(`${admin}/console/token`);
      await page
        .getByLabel('Access token')
        .fill(await jwt({ scope: text, sub: text, [text]: text }, { alg: 'HS256', header: { kid: text } }));
      await page.getByRole('button', { name: 'Check' }).click();
      await page.locator('.checks').waitFor();
      t.strictSame(await wrong(), [], `token: ${strings.indexOf(text)}`);
    }
    t.ok(await until(async () => (await wrong()).length === 0));
  },
);

t.test(
  'the watch of these tests notices a script that runs and an element that does not belong to the page',
  { skip },
  async (t) => {
    const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
    const page = await openPage(t);
    const wrong = await watch(page, running.adminUrl as string);
    await page.goto(`${running.adminUrl}/console/live`);
    await page.evaluate(`hit(1); document.body.append(document.createElement('iframe'))`);
    t.match(await wrong(), [1, /iframe/]);
  },
);
