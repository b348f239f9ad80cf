import t from 'tap';
import { run } from '../running-service.ts';
import { openTab, runFront, signedIn } from './walk.ts';

/** As Chromium and Firefox send it. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

t.test('the address of the service leads people to their account, or to the login', async (t) => {
  const service = await runFront(t);
  for (const tab of [openTab(service), await signedIn(service)]) {
    const { status, location } = await tab.get('/', browser);
    t.strictSame([status, location?.pathname], [303, '/oauth2/account']);
  }
  t.match((await openTab(service).get('/oauth2/account', browser)).body, /name="password"/);
});

t.test('if the issuer has a path, this path leads to the account, and the path above it leads nowhere', async (t) => {
  const service = await run(t, { config: { issuer: 'http://localhost:8081/tenant' } });
  for (const path of ['/tenant', '/tenant/'])
    t.equal((await openTab(service).get(path, browser)).location?.pathname, '/tenant/oauth2/account');
  t.equal((await openTab(service).get('/', browser)).status, 404);
});

t.test('a browser gets a page for an unknown path and for an address of programs', async (t) => {
  const service = await runFront(t);
  for (const [path, status, said] of [
    ['/nothing', 404, 'No page here'],
    ['/oauth2/logout', 404, 'No page here'],
    ['/oauth2/%6aws', 404, 'No page here'],
    ['/oauth2/%6awks', 404, 'No page here'],
    ['/%zz', 400, 'We cannot read this request'],
    ['/oauth2/token', 405, 'For programs only'],
    ['/oauth2/introspect', 405, 'For programs only'],
  ] as const) {
    const page = await openTab(service).get(path, browser);
    t.equal(page.status, status, path);
    t.match(page.body, `<h1>${said}</h1>`, path);
    t.match(page.headers.get('content-type'), /^text\/html/);
    t.match(page.headers.get('content-security-policy'), /^default-src 'none'/);
    t.match(page.headers.get('vary'), /accept/i);
    t.match(page.body, page.headers.get('x-request-id') ?? 'an id');
  }
});

t.test('a program gets a problem for an unknown path, and the error of RFC 6749 at an endpoint', async (t) => {
  const service = await runFront(t);
  for (const path of ['/', '/nothing', '/oauth2/logout', '/oauth2/%6awks']) {
    const answer = await fetch(service.url + path);
    t.equal(answer.headers.get('content-type'), 'application/problem+json', path);
    t.strictSame(await answer.json(), {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No endpoint has this path.',
      code: 'not_found',
      request_id: answer.headers.get('x-request-id'),
    });
  }
  const refused = await fetch(`${service.url}/oauth2/token`);
  t.strictSame([refused.status, refused.headers.get('allow')], [405, 'POST, OPTIONS']);
  t.match(await refused.json(), {
    error: 'invalid_request',
    error_description: 'The endpoint does not support this method.',
  });
});

t.test('an error of an endpoint for programs stays as RFC 6749 writes it, whatever the caller accepts', async (t) => {
  const service = await runFront(t);
  const headers = { ...browser, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(`${service.url}/oauth2/token`, { method: 'POST', headers, body: 'grant_type=x' });
  t.match(answer.headers.get('content-type'), /^application\/json/);
  t.match(await answer.json(), { error: /./, error_description: /./ });
});
