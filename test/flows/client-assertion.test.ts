import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { calculateJwkThumbprint, decodeProtectedHeader, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import type { Handler } from '../support/endpoint.ts';
import { json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { active, authorizationServer, issuer } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();

/** RFC 7523 §3: a client that fails to authenticate gets 401, and a `jti` counts once. */
function demanding(keyOf: () => KeyObject, used: Set<unknown>): Handler {
  return async (_request, response, body) => {
    const form = new URLSearchParams(body);
    const isTyped = form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const rules = { issuer: 'gateway', subject: 'gateway', audience: issuer, maxTokenAge: 60, requiredClaims: ['exp'] };
    const proof = await jwtVerify(form.get('client_assertion') ?? '', keyOf(), rules).catch(() => undefined);
    const { jti, iat = 0, exp = Number.POSITIVE_INFINITY } = proof?.payload ?? {};
    if (!isTyped || jti === undefined || used.has(jti) || exp - iat > 60) return void response.writeHead(401).end();
    used.add(jti);
    json(response, form.get('token') === 'good' ? active('orders.read') : { active: false });
  };
}

async function bench(t: Test) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { trusted: pair.publicKey, file: `${t.testdir({ 'client.pem': pem(pair.privateKey) })}/client.pem` };
  const used = new Set<unknown>();
  const changes = {
    introspection_endpoint_auth_method: 'private_key_jwt',
    client_secret: undefined,
    client_key: key.file,
    cache: { ttl: '0s', negative_ttl: '0s' },
  };
  const server = await authorizationServer(t, { changes });
  server.introspection.misbehave(demanding(() => key.trusted, used));
  const { url } = await witness(t);
  const { port } = await gateway(t, behind(url, { authorization_servers: server.config }));
  const get = (token: string) => ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }));
  return { key, used, server, get };
}

t.test('with private_key_jwt each call has a new JWT, which is valid for a minute', async (t) => {
  const { used, get } = await bench(t);
  for (let i = 0; i < 3; i++) t.equal((await get('good')).status, 200);
  t.equal((await get('bad')).status, 401);
  t.equal(used.size, 4);
});

t.test('the header has the algorithm and the thumbprint of the key, and the request contains no secret', async (t) => {
  const { key, server, get } = await bench(t);
  await get('good');
  const [call] = server.introspection.calls;
  const form = new URLSearchParams(call?.body);
  t.strictSame(decodeProtectedHeader(form.get('client_assertion') ?? ''), {
    alg: 'ES256',
    kid: await calculateJwkThumbprint(key.trusted),
  });
  t.strictSame(
    [...form.keys()].sort(),
    ['client_assertion', 'client_assertion_type', 'token', 'token_type_hint'].sort(),
  );
  t.equal(call?.authorization, undefined);
});

t.test(
  'a new key in the file is used immediately, and while the file is being written the previous key is',
  async (t) => {
    const { key, get } = await bench(t);
    t.equal((await get('good')).status, 200);
    writeFileSync(key.file, '-----BEGIN PRIVATE');
    t.equal((await get('good')).status, 200);
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(key.file, pem(next.privateKey));
    key.trusted = next.publicKey;
    t.equal((await get('good')).status, 200);
  },
);

t.test('a server that does not know the key is an outage, never a refusal of the token', async (t) => {
  const { key, get } = await bench(t);
  key.trusted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  const response = await get('good');
  t.equal(response.status, 503);
  t.equal(JSON.parse(response.body.toString()).code, 'authorization_server_unavailable');
});
