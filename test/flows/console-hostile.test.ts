// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a hostile text may look like a template
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { printableValue } from '../../src/base/printable.ts';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { behind, gateway } from '../support/gateway.ts';
import { random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Drives a browser through a thousand decisions, and asks a thousand questions: 60 s, and two minutes on a busy machine. */
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

const routesOf = (ids: readonly string[]) =>
  ids.map((id, index) => ({
    id: id.replaceAll('${', () => '$${'),
    match: { path: `/r${index}/{rest*}` },
    scope: 'read',
  }));

const inTurns = <Item>(items: readonly Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, turn) => items.slice(turn * size, (turn + 1) * size));

/** Waits until the page has rendered what it knows. */
const rendered = 'for (let turn = 0; turn < 3; turn++) await new Promise((next) => setTimeout(next));';

/** Each row of the list, with the facts that the page shows about it. Only visible rows are in the document. */
const rowsShown = `(async () => {
  const [list, shown] = [document.querySelector('.list'), new Map()];
  // Half of the rows again: the height of the list depends on the chosen decision.
  for (let rows = []; ; list.scrollTop += rows.length * 18) {
    list.dispatchEvent(new Event('scroll'));
    ${rendered}
    rows = [...list.querySelectorAll('.row')];
    for (const row of rows.filter(({ textContent }) => !shown.has(textContent))) {
      row.click();
      ${rendered}
      const facts = [...document.querySelectorAll('.details .facts div')].map((each) => [...each.children].map(({ textContent }) => textContent));
      const text = (name) => row.querySelector(name).textContent;
      shown.set(row.textContent, { path: text('.path'), who: text('.who'), ...Object.fromEntries(facts) });
    }
    if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) return [...shown.values()];
  }
})()`;

interface Shown {
  readonly path: string;
  readonly who: string;
  readonly user_agent: string;
}

t.test(
  'nothing in a path, a header, a client, a claim or a route runs on Live and Routes, and all of it is shown',
  { skip },
  async (t) => {
    const upstream = await witness(t);
    const strings = hostile();
    const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', routes: routesOf(strings) }));
    const admin = running.adminUrl as string;
    const page = await openPage(t);
    const wrong = await watch(page, admin);
    await page.goto(`${admin}/console/live`);
    await page.getByText('Decisions of').waitFor();
    const targetOf = (text: string) => `/${latin1(text).replaceAll(/[\s?#]/g, '+')}`;
    const send = async (text: string) => {
      const token = await jwt(
        { scope: 'read', sub: text.trim(), client_id: text.trim(), [text]: text },
        { alg: 'HS256' },
      );
      const common = [
        ['User-Agent', latin1(text)],
        ['Connection', 'close'],
      ] as const;
      const target = `/r${strings.indexOf(text)}/1`;
      await ask(running.port, requestText({ target, headers: [['Authorization', `Bearer ${token}`], ...common] }));
      await ask(running.port, requestText({ target: targetOf(text), headers: common }));
    };
    const listed = () => page.evaluate<number>("document.querySelector('.list > div').offsetHeight / 36");
    // The page gets 25 decisions of each kind in a batch.
    for (const [turn, texts] of inTurns(strings, 25).entries()) {
      await Promise.all(texts.map(send));
      t.ok(await until(async () => (await listed()) === (turn + 1) * 50), `${await listed()} after ${turn}`);
    }
    const shown = await page.evaluate<readonly Shown[]>(rowsShown);
    t.strictSame(await wrong(), [], 'live');
    const told = (name: keyof Shown) => new Set(shown.map((row) => row[name]));
    const missing = (name: keyof Shown, sent: (text: string) => string) =>
      strings.map((text) => printableValue(sent(text).trim())).filter((text) => !told(name).has(text));
    t.strictSame(
      missing('who', (text) => text),
      [],
      'each client is shown',
    );
    t.strictSame(missing('user_agent', latin1), [], 'each header is shown');
    t.strictSame(missing('path', targetOf), [], 'each path is shown');

    await page.goto(`${admin}/console/routes`);
    await page
      .locator('tbody tr')
      .nth(STRINGS - 1)
      .waitFor();
    const ids = await page.locator('tbody th a').allTextContents();
    t.strictSame(ids.map(printableValue).sort(), strings.map(printableValue).sort(), 'each route is shown');
    t.strictSame(await wrong(), [], 'routes');
  },
);

/**
 * Counts the questions and the answers of the page, so that a test knows when all answers have come. An answer counts once
 * the page has read its content, which may arrive after the head. A new address can cause two questions, because a browser
 * reports it as `popstate` and as `hashchange`.
 */
const counting = `(() => {
  const own = fetch;
  window.questions = 0;
  window.answers = 0;
  window.fetch = (...asked) => {
    window.questions++;
    const count = () => void setTimeout(() => window.answers++);
    const counted = (response) => {
      const read = response.json.bind(response);
      return Object.assign(response, { json: () => read().finally(count) });
    };
    return own(...asked).then(counted, (error) => {
      count();
      throw error;
    });
  };
})()`;

/** Does this for each item in the page, waits for the answer, and returns what \`look\` says. */
function each(items: readonly unknown[], act: string, look: string): string {
  return `(async () => {
    const looks = [];
    for (const item of ${JSON.stringify(items)}) {
      const before = window.answers;
      ${act};
      const isOpen = () => window.answers === before || window.answers < window.questions;
      while (isOpen()) await new Promise((next) => setTimeout(next));
      ${rendered}
      looks.push(${look});
    }
    return looks;
  })()`;
}

async function smallGateway(t: Test): Promise<string> {
  const running = await gateway(
    t,
    behind('http://127.0.0.1:9', { admin: '127.0.0.1:0', routes: routesOf(hostile().slice(0, 20)) }),
  );
  return running.adminUrl as string;
}

t.test('no question in an address runs in the playground, and each is asked', { skip }, async (t) => {
  const admin = await smallGateway(t);
  const page = await openPage(t);
  const wrong = await watch(page, admin);
  // The requests at the beginning are no answers to questions.
  await page.goto(`${admin}/console/playground`, { waitUntil: 'networkidle' });
  await page.evaluate(counting);
  for (const texts of inTurns(hostile(), 50)) {
    const asked = texts.map((text) => {
      const claims = JSON.stringify({ sub: text });
      // A header cannot have a line separator, so the page would ask nothing.
      const headers = text.includes('\u2028') ? '' : `User-Agent: ${text}`;
      const question = { method: 'GET', url: `/r1/${text}`, as: 'scope', scope: text, claims, mcp: text, headers };
      return `${new URLSearchParams(question)}`;
    });
    const look = "['url', 'scope', 'claims', 'mcp'].map((id) => document.getElementById(id).value)";
    const fields = await page.evaluate<readonly unknown[]>(each(asked, 'location.hash = item', look));
    // The page keeps no query and no space at an edge.
    const kept = (text: string) => `/r1/${text}`.trim().replace(/[?#].*$/, '');
    const expected = texts.map((text) => [kept(text), text.trim(), JSON.stringify({ sub: text }), text.trim()]);
    t.strictSame(fields, expected);
    t.ok(await page.locator('.explanation, .alert').count(), 'the last one is answered');
    t.strictSame(await wrong(), [], 'playground');
  }
});

t.test('no header and no claim of a token runs on the page of tokens, and each is shown', { skip }, async (t) => {
  const admin = await smallGateway(t);
  const page = await openPage(t);
  const wrong = await watch(page, admin);
  // The requests at the beginning are no answers to questions.
  await page.goto(`${admin}/console/token`, { waitUntil: 'networkidle' });
  await page.evaluate(counting);
  for (const texts of inTurns(hostile(), 50)) {
    const claimsOf = (text: string) => ({ scope: text, sub: text, client_id: text, [text]: text });
    const signed = texts.map((text) => jwt(claimsOf(text), { alg: 'HS256', header: { kid: text } }));
    const act = "document.getElementById('token').value = item; document.querySelector('form').requestSubmit()";
    const look = "[...document.querySelectorAll('.details pre')].map(({ textContent }) => JSON.parse(textContent))";
    const views = await page.evaluate<readonly Record<string, string>[][]>(each(await Promise.all(signed), act, look));
    const told = views.map(([header, claims]) => [header?.kid, claims?.sub].map((each) => printableValue(each ?? '')));
    const known = texts.map((text) => [printableValue(text), printableValue(text)]);
    t.strictSame(told, known);
    t.strictSame(await wrong(), [], 'token');
  }
});

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
