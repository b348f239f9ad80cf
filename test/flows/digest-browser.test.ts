import t, { type Test } from 'tap';
import { browserOf, skipWithoutBrowser } from '../support/browser.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { digestLines, userFile } from '../support/user-files.ts';

/** T50: a browser against a Digest route. */

const REALM = 'meters';
const credentials = { username: 'Jäsøn', password: 'Secret, £' };
const skip = skipWithoutBrowser;
/** Starts a browser: 7 s in .ci/run. */
t.setTimeout(60_000);

const openPage = browserOf(t);

async function meters(t: Test, digest: object): Promise<TestGateway> {
  const users = userFile(t, digestLines(credentials.username, REALM, credentials.password));
  const block = { realm: REALM, users, ...digest };
  const routes = [{ match: { path: '/meters/{rest*}' }, auth: 'digest', digest: block, access: 'authenticated' }];
  return gateway(t, behind(await echoUpstream(t), { routes }));
}

for (const algorithms of [['SHA-256', 'MD5'], ['SHA-256'], ['MD5']]) {
  t.test(`a page behind ${algorithms.join(', then ')} opens with the right password`, { skip }, async (t) => {
    const { url } = await meters(t, { algorithms });
    const page = await openPage(t, { httpCredentials: credentials });
    const response = await page.goto(`${url}/meters/7?a=%20b`);
    t.equal(response?.status(), 200);
    t.match(await response?.text(), /"url":"\/meters\/7\?a=%20b"/);
  });
}

t.test('with `nc: window` a page may send many requests at a time', { skip }, async (t) => {
  const { url } = await meters(t, { nc: 'window' });
  const page = await openPage(t, { httpCredentials: credentials });
  await page.goto(`${url}/meters/0`);
  const statuses = await page.evaluate(
    "Promise.all(Array.from({ length: 24 }, (_, n) => fetch('/meters/' + n).then(({ status }) => status)))",
  );
  t.strictSame(statuses, Array(24).fill(200));
});
