import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import t, { type Test } from 'tap';
import { openTab, type Page } from '../authorization/browser/walk.ts';
import { serving } from '../support/serving.ts';
import { arrive, startLogin } from './logging-in.ts';

const secret = 'secret-of-the-client: +&=%';

/** A certified OpenID Provider that is not ours, with its own pages for a login. */
async function foreignProvider(t: Test): Promise<string> {
  let serve: RequestListener = (_request, response) => response.destroy();
  const issuer = await serving(
    t,
    createServer((request, response) => serve(request, response)),
  );
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const client = { redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native' };
  serve = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'key', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['cookies-of-the-tests'] },
    claims: { profile: ['name'] },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, name: 'Ada Lovelace' }),
    }),
    clients: [
      { ...client, client_id: 'cli', token_endpoint_auth_method: 'none' },
      { ...client, client_id: 'secretive', client_secret: secret },
    ],
  }).callback();
  return issuer;
}

/** Types into the pages of the provider until one leads to the command. */
async function throughPages(address: URL): Promise<URL> {
  const tab = openTab({ url: address.origin });
  let page: Page = await tab.get(address.href);
  for (let pages = 0; pages < 10; pages++) {
    const { location, body } = page;
    if (location?.pathname === '/callback') return location;
    const prompt = /name="prompt" value="(\w+)"/.exec(body)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(body)?.[1] ?? '';
    const filled = { prompt, login: 'ada', password: 'any' };
    page = location === undefined ? await tab.post(action, filled) : await tab.get(location.href);
  }
  throw new Error('the pages lead nowhere');
}

for (const [client, args, input] of [
  ['cli', [], ''],
  ['secretive', ['--client-secret'], secret],
] as const)
  t.test(`a login at a certified provider that is not ours, as the client ${client}`, async (t) => {
    const issuer = await foreignProvider(t);
    const asked = ['--client-id', client, '--scope', 'openid profile', '--json', ...args];
    const login = await startLogin(t, issuer, asked, { input });
    t.equal((await arrive(await throughPages(login.address))).status, 200);
    const { status, stdout, stderr } = await login.ended();
    t.equal(status, 0, stderr);
    t.match(JSON.parse(stdout), { token_type: 'Bearer', claims: { iss: issuer, sub: 'ada', aud: client } });
    t.match(stderr, 'Signed in as Ada Lovelace (sub ada).');
  });
