import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import type { GrantType } from '../../src/config/schema/authorization.ts';
import { basic, configuration, type Running, run } from '../authorization/running-service.ts';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { endpoint } from '../support/endpoint.ts';
import { freePort } from '../support/free-port.ts';
import { textOf } from './cookbook.ts';

const openPage = browserOf(t);
const bash = promisify(execFile);
const secret = 'cs_shop-secret-of-32-bytes-or-so';

const text = textOf('browserless-exchange.md');
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
const [askForCode = '', sign = ''] = blocks('js');
const [byPassword = '', exchange = '', check = '', byQuery = ''] = blocks('sh');

interface Site {
  readonly service: Running;
  readonly issuer: string;
  /** Of the application, on the same site as the service. */
  readonly origin: string;
}

/** The client of the page, at addresses of this machine. `localhost` is one site on all ports. */
async function site(t: Test, grants?: readonly GrantType[]): Promise<Site> {
  const { url } = await endpoint(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A mini app</title>'),
  );
  const origin = url.replace('127.0.0.1', 'localhost');
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const [shown] = parse(blocks('yaml')[0] ?? '').clients;
  const mine = { client_secret: secret, redirect_uris: [`${origin}/callback`], require_pkce: false };
  const shop = { ...shown, ...mine, ...(grants && { grant_types: grants }) };
  const clients = [...configuration().clients.filter(({ client_id }) => client_id !== 'shop'), shop];
  const session = { enabled: true, allow_query: true, errors: 'oauth' } as const;
  const service = await run(t, { config: { issuer, listen: { host: '127.0.0.1', port }, clients, session } });
  return { service, issuer, origin };
}

async function signIn(page: Page, { issuer }: Site): Promise<void> {
  await page.goto(`${issuer}/oauth2/account`);
  await page.locator('[name=username]').fill('alice');
  await page.locator('[name=password]').fill('wonderland');
  await page.locator('form button[type=submit]').first().click();
  await page.waitForURL(`${issuer}/oauth2/account`);
}

/** At the authorization endpoint, where any client sends its users. */
async function letIn(page: Page, { issuer, origin }: Site): Promise<void> {
  const asked = { response_type: 'code', client_id: 'shop', redirect_uri: `${origin}/callback`, scope: 'orders.read' };
  await page.goto(`${issuer}/oauth2/authorize?${new URLSearchParams(asked)}`);
  await page.locator('[name=decision][value=allow]').click();
  await page.waitForURL(`${origin}/callback**`);
}

/** The first script of the page, as the page of an application runs it. */
function runScript(page: Page, { issuer }: Site): Promise<{ code?: string; expires_in?: number; error?: string }> {
  const script = askForCode.replaceAll('https://auth.example.com', issuer);
  return page.evaluate(`(async () => { ${script}; return { code, expires_in, error }; })()`);
}

async function runShell(command: string, { issuer }: Site, env: Record<string, string>): Promise<object> {
  const line = command.replaceAll('https://auth.example.com', issuer);
  const { stdout } = await bash('bash', ['-c', line], { env: { ...process.env, SHOP_SECRET: secret, ...env } });
  return JSON.parse(stdout);
}

t.test(
  'in a browser: the scripts and commands of the page, one after another, do what it says',
  { skip },
  async (t) => {
    const there = await site(t);
    const page = await openPage(t);
    await page.goto(there.origin);
    t.match(await runScript(page, there), { error: 'login_required' });
    await signIn(page, there);
    await page.goto(there.origin);
    t.match(await runScript(page, there), { error: 'consent_required' });
    await letIn(page, there);
    await page.goto(there.origin);
    const { code: CODE = '', expires_in } = await runScript(page, there);
    t.equal(expires_in, 60);
    const answer = (await runShell(exchange, there, { CODE })) as { session_key: string; openid: string };
    t.match(answer, { session_key: /^.{43}=$/, openid: /^.{43}$/, expires_in: 604_800, scope: 'orders.read' });
    const signed = `data:text/javascript,${encodeURIComponent(`const session_key = '${answer.session_key}'; ${sign} export default signature;`)}`;
    const { default: SIGNATURE } = (await import(signed)) as { default: string };
    t.strictSame(await runShell(check, there, { OPENID: answer.openid, SIGNATURE }), { valid: true });
    const again = await runScript(page, there);
    t.match(await runShell(byQuery, there, { CODE: again.code ?? '' }), { openid: answer.openid });
  },
);

t.test('without pages, a password gives a code for any scope, and also works at the token endpoint', async (t) => {
  const there = await site(t, ['authorization_code', 'password']);
  const directory = t.testdir({ 'password.txt': 'wonderland' });
  const { code: CODE } = (await runShell(`cd '${directory}'; ${byPassword}`, there, {})) as { code: string };
  t.match(await runShell(exchange, there, { CODE }), { scope: 'orders.read', session_key: /^.{43}=$/ });
  const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  const token = await there.service.post('/oauth2/token', form, basic({ id: 'shop', secret }));
  t.match(await token.json(), { access_token: /^at_/, scope: 'orders.read' });
});

t.test('in a browser: a page of another origin gets nothing, on the same site or not', { skip }, async (t) => {
  const there = await site(t);
  const page = await openPage(t);
  await signIn(page, there);
  const { url } = await endpoint(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Elsewhere</title>'),
  );
  for (const foreign of [url.replace('127.0.0.1', 'localhost'), url]) {
    await page.goto(foreign);
    await t.rejects(runScript(page, there), /Failed to fetch/, foreign);
  }
});
