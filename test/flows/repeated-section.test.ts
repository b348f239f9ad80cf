import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { endpoint, json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask, open, type RawClient } from '../support/raw-client.ts';
import { reloadable } from '../support/reloadable.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { audience, issuer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const TARGET = '/orders/1';
const bytesWith = (token: string) => requestText({ target: TARGET, headers: [bearer(token)] });

/** A kept connection that sends the same bytes each time. Returns the status, and the code of a refusal. */
async function repeating(t: Test, port: number, bytes: Buffer) {
  const client: RawClient = await open(t, port);
  return async () => {
    client.send(bytes);
    const answer = await client.read();
    return answer?.status === 200 ? '200' : `${answer?.status} ${JSON.parse(String(answer?.body)).code}`;
  };
}

/** Twice the same fields: from the second request on, the gateway reuses what it read of them. */
async function reused(t: Test, send: () => Promise<string>): Promise<void> {
  t.strictSame([await send(), await send(), await send()], ['200', '200', '200']);
}

const orders = (changes: object) => ({ routes: [{ id: 'orders', match: { path: '/orders/{rest*}' }, ...changes }] });

t.test('a repeated section is judged again by the rules of each reload', async (t) => {
  const [first, second] = [await witness(t), await witness(t)];
  const read = orders({ scope: 'orders.read' });
  const running = await reloadable(t, behind(first.url, read));
  const send = await repeating(t, running.port, bytesWith(await jwt({ scope: 'orders.read' }, { alg: 'HS256' })));
  await reused(t, send);
  for (const [what, url, changes, status] of [
    ['another scope', first.url, orders({ scope: 'admin' }), '403 scope_insufficient'],
    ['the old scope again', first.url, read, '200'],
    ['another upstream', second.url, read, '200'],
    [
      'no such route',
      second.url,
      { routes: [{ id: 'other', match: { path: '/other' }, scope: 'admin' }] },
      '404 route_not_found',
    ],
  ] as const) {
    t.equal((await running.take(behind(url, changes))).ok, true, what);
    t.strictSame([await send(), await send()], [status, status], what);
  }
  t.strictSame([first.seen.length, second.seen.length], [5, 2]);
});

t.test('a repeated section is 401 as soon as the key of its token is rotated away', async (t) => {
  const pairs = [await keyPair('old'), await keyPair('new')] as const;
  let published: object = pairs[0].jwk;
  const keys = await endpoint(t, (_request, response) => json(response, { keys: [published] }));
  const upstream = await witness(t);
  const main = { issuer, audience, algorithms: ['ES256'], jwks_uri: `${keys.url}/jwks`, jwks: { cooldown: '100ms' } };
  const file = behind(upstream.url, { ...orders({ scope: 'orders.read' }), authorization_servers: { main } });
  const { port } = await gateway(t, file);
  const send = await repeating(t, port, bytesWith(await pairs[0].token()));
  await reused(t, send);
  published = pairs[1].jwk;
  // The unknown key makes the gateway fetch the new set before it answers.
  t.equal((await ask(port, bytesWith(await pairs[1].token()))).status, 200);
  t.strictSame([await send(), await send()], ['401 token_signature', '401 token_signature']);
  t.equal(upstream.seen.length, 4);
});

async function keyPair(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: audience, sub: 'alice', client_id: 'shop', scope: 'orders.read' };
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    token: () =>
      new SignJWT({ ...claims, jti: kid, iat: now, exp: now + 300 })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .sign(privateKey),
  };
}
