import t, { type Test } from 'tap';
import type { Presenting, SchemeUnderTest } from '../../contracts/schemes.ts';
import { userFile } from '../../support/user-files.ts';
import './tables.ts';
import { sign } from './signature/gateway.ts';

// The product is imported after its tables were replaced.
const { schemeContract } = await import('../../contracts/schemes.ts');
const { behind, gateway } = await import('../../support/gateway.ts');
const { echoUpstream } = await import('../../support/echo-upstream.ts');

const KEY = 'robot';
const secrets = { right: 'of-the-robot', wrong: 'of-another' } as const;
const keys = (t: Test) => userFile(t, `${KEY}:${secrets.right}\n`);

const placed: Readonly<Record<string, (path: string, credential: string) => Omit<Presenting, 'credential'>>> = {
  header: (path, credential) => ({ path, headers: { 'x-signature': credential } }),
  query: (path, credential) => ({ path: `${path}&sig=${credential}`, headers: {} }),
};

for (const [place, presented] of Object.entries(placed)) {
  const scheme: SchemeUnderTest = {
    name: 'signature',
    challenge: /^Signature realm="toy"/,
    user: KEY,
    block: (t) => ({ keys: keys(t), parameter: 'sig' }),
    wrong: 'password_wrong',
    unreachable: () => ({ keys: '/nowhere/keys', parameter: 'sig' }),
    async present(_url, path, secret) {
      const credential = `${KEY}:${sign(secrets[secret], 'GET', path)}`;
      return { ...presented(path, credential), credential };
    },
  };
  schemeContract(t, `a signature in a ${place}`, scheme);
}

async function signed(t: Test, auth: object | string = 'signature') {
  const route = { id: 'r', match: { path: '/{rest*}' }, access: 'authenticated', auth };
  const signature = { keys: keys(t), parameter: 'sig', scopes: { [KEY]: 'read' } };
  const { url } = await gateway(t, behind(await echoUpstream(t), { routes: [{ ...route, signature }] }));
  const credential = `${KEY}:${sign(secrets.right, 'GET', '/a')}`;
  return { url, credential };
}

t.test('a second spelling of the header, which an upstream could read, is a second credential', async (t) => {
  const { url, credential } = await signed(t);
  const headers = { 'x-signature': credential, X_Signature: 'eve:1' };
  const response = await fetch(`${url}/a`, { headers });
  t.match([response.status, await response.json()], [400, { code: 'credential_repeated' }]);
});

t.test('Connection cannot name a header that carries the credential', async (t) => {
  const { request } = await import('node:http');
  const { url, credential } = await signed(t);
  const headers = { 'x-signature': credential, connection: 'close, x-signature' };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${url}/a`, { headers }, (response) => resolve(response.resume().statusCode));
    sent.on('error', reject).end();
  });
  t.equal(status, 400);
});

t.test('a signature in header and query is two credentials; an answer to one in the query is private', async (t) => {
  const { url, credential } = await signed(t);
  const both = await fetch(`${url}/a?sig=${credential}`, { headers: { 'x-signature': credential } });
  t.match([both.status, await both.json()], [400, { code: 'credential_repeated' }]);
  const one = await fetch(`${url}/a?s%69g=${credential}&y=2`);
  t.match([one.status, await one.json()], [200, { url: '/a?y=2', headers: { 'x-auth-scope': 'read' } }]);
  t.match(one.headers.get('cache-control'), /private/);
});

t.test('beside bearer tokens it has its own challenge, after the Bearer challenge', async (t) => {
  const { url, credential } = await signed(t, { any_of: ['signature', 'bearer'] });
  const none = await fetch(`${url}/a`);
  t.match(none.headers.get('www-authenticate'), /^Bearer .*, Signature realm="toy"$/);
  await none.arrayBuffer();
  const right = await fetch(`${url}/a`, { headers: { 'x-signature': credential } });
  t.match(await right.json(), { headers: { 'x-auth-subject': KEY } });
});

t.test('check applies its rules', async (t) => {
  const { loadGatewayText } = await import('../../../src/config/load/load.ts');
  const { gatewayChecks } = await import('../../../src/config/rules/gateway.ts');
  t.ok('keys of signatures' in gatewayChecks);
  const signature = { keys: '/nowhere/keys' };
  const routes = [{ id: 'r', match: { path: '/a' }, access: 'authenticated', auth: 'signature', signature }];
  const found = loadGatewayText(JSON.stringify({ version: 1, ...behind('http://127.0.0.1:9', { routes }) }));
  t.match(found, { ok: true, warnings: [{ message: 'the file of keys cannot be read' }] });
});
