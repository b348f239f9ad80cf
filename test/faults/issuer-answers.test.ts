import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { secret } from '../support/keys.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { active, audience, authorizationServer, issuer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import { faultProxy } from './support/fault-proxy.ts';
import { sized } from './support/size.ts';
import { tell, tellWith } from './support/tell.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 4;

const OUT = '503 authorization_server_unavailable';
const routes = [{ match: { path: '/orders/{rest*}' }, scope: 'orders.read' }];

async function before(t: Test, main: object) {
  const upstream = await witness(t);
  const file = behind(upstream.url, { admin: '127.0.0.1:0', routes, authorization_servers: { main } });
  const running = await gateway(t, file);
  return { ...running, orders: `${running.url}/orders/1`, upstream };
}

/** With what the set might wrongly accept: a token signed by `key`, with `kid`. */
interface Hostile {
  readonly set: unknown;
  readonly forged?: string;
}

const claims = () => {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: audience, sub: 'mallory', client_id: 'm', scope: 'orders.read', iat: now, exp: now + 300 };
};

function forge(alg: string, kid: string, key: Parameters<SignJWT['sign']>[0]): Promise<string> {
  return new SignJWT({ ...claims(), jti: crypto.randomUUID() })
    .setProtectedHeader({ alg, typ: 'at+jwt', kid })
    .sign(key);
}

async function pairOf(
  alg: string,
  kid: string,
  more: object = {},
): Promise<{ jwk: JWK; privateJwk: JWK; forged: string }> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const privateJwk = { ...(await exportJWK(pair.privateKey)), kid, alg, ...more };
  const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg, ...more };
  return { jwk, privateJwk, forged: await forge(alg, kid, pair.privateKey) };
}

const hostile: Readonly<Record<string, () => Promise<Hostile>>> = {
  'a shared secret': async () => {
    const k = Buffer.from(secret).toString('base64url');
    const forged = await forge('HS256', 'oct', new TextEncoder().encode(secret));
    return { set: { keys: [{ kty: 'oct', k, kid: 'oct', alg: 'HS256', use: 'sig' }] }, forged };
  },
  'a private key': async () => {
    const { privateJwk, forged } = await pairOf('ES256', 'private');
    return { set: { keys: [privateJwk] }, forged };
  },
  'two keys under one kid': async () => {
    const [one, two] = [await pairOf('ES256', 'same'), await pairOf('ES256', 'same')];
    return { set: { keys: [one.jwk, two.jwk] }, forged: two.forged };
  },
  'a key for encryption': async () => {
    const { jwk, forged } = await pairOf('ES256', 'enc', { use: 'enc' });
    return { set: { keys: [jwk] }, forged };
  },
  'a key of another algorithm than is accepted': async () => {
    const { jwk, forged } = await pairOf('ES384', 'es384');
    return { set: { keys: [jwk] }, forged };
  },
  '10,000 keys': async () => {
    const { jwk, forged } = await pairOf('ES256', 'many');
    return {
      set: { keys: Array.from({ length: 10_000 }, (_, index) => ({ ...jwk, kid: index === 9 ? 'many' : `${index}` })) },
      forged,
    };
  },
  '5 MB': async () => {
    const { jwk, forged } = await pairOf('ES256', 'large');
    return { set: { keys: [jwk], pad: 'x'.repeat(5_000_000) }, forged };
  },
  'no keys': async () => ({ set: { keys: [] } }),
  'a list': async () => ({ set: [] }),
  null: async () => ({ set: null }),
};

for (const [name, make] of Object.entries(hostile)) {
  void t.test(
    `a key set with ${name}: the previous keys stay valid, and tokens that only this set would accept do not pass`,
    async (t) => {
      const { set, forged } = await make();
      const server = await authorizationServer(t, {
        changes: { verify: 'jwt', jwks: { ttl: '50ms', cooldown: '50ms' } },
      });
      const { orders, upstream } = await before(t, server.config.main);
      const good = await jwt({ scope: 'orders.read' });
      t.equal((await tellWith(orders, good)).said, '200');
      const calls = server.keys.calls.length;
      server.keys.misbehave((_request, response) => json(response, set));
      while (server.keys.calls.length < calls + 2) await new Promise((waited) => setTimeout(waited, 20));
      t.equal((await tellWith(orders, await jwt({ scope: 'orders.read' }))).said, '200', 'not cached');
      const told = forged === undefined ? undefined : await tellWith(orders, forged);
      t.match(told?.said ?? OUT, /^(401|503) /);
      t.equal(upstream.seen.length, 2);
      server.keys.recover();
    },
  );

  void t.test(`a start with a key set with ${name} is an outage, which ends with a valid one`, async (t) => {
    const { set, forged } = await make();
    const server = await authorizationServer(t, { changes: { verify: 'jwt', jwks: { cooldown: '50ms' } } });
    server.keys.misbehave((_request, response) => json(response, set));
    const { orders, adminUrl, upstream } = await before(t, server.config.main);
    const good = await jwt({ scope: 'orders.read' });
    t.match(await tellWith(orders, good), { said: OUT, retryAfter: /^[1-9]/, challenge: null });
    if (forged !== undefined) t.match((await tellWith(orders, forged)).said, /^(401|503) /);
    t.equal((await fetch(`${adminUrl}/readyz`)).status, 503);
    t.equal(upstream.seen.length, 0);
    server.keys.recover();
    const end = performance.now() + 20_000;
    let said = '';
    while (said !== '200' && performance.now() < end) said = (await tellWith(orders, good)).said;
    t.equal(said, '200');
  });
}

const REQUESTS = sized(300, 1_000, 10_000);
const DELAY = 1_000;

void t.test(`${REQUESTS} requests with one token at a server that takes ${DELAY} ms make one call`, async (t) => {
  const server = await authorizationServer(t);
  const proxy = await faultProxy(t, server.introspection.url);
  const introspection_endpoint = proxy.through(`${server.introspection.url}/introspect`);
  const { orders } = await before(t, { ...server.config.main, introspection_endpoint });
  for (const name of ['known', 'local']) server.tokens.set(name, active('orders.read'));
  t.equal((await tellWith(orders, 'known')).said, '200');
  const local = await jwt({ scope: 'orders.read' });
  const alone = (await tellWith(orders, local)).took;
  await proxy.set({ answer: { delay: DELAY } });
  server.tokens.set('slow', active('orders.read'));
  const { between } = await lateness(t);
  const many = Array.from({ length: REQUESTS }, () => tellWith(orders, 'slow'));
  await new Promise((waited) => setTimeout(waited, DELAY / 2));
  // A cached token does not wait. Another token waits only for its own call.
  for (const [name, token, said, most] of [
    ['known', 'known', '200', alone + DELAY / 2],
    ['local', local, '200', alone + DELAY / 2],
    ['unknown', 'unknown', '401 token_inactive', 2 * DELAY],
  ] as const) {
    const from = performance.now();
    t.equal((await tellWith(orders, token)).said, said);
    inTime(t, `others do not wait for it: ${name}`, most, await between(from, performance.now()));
  }
  const answers = await Promise.all(many);
  t.strictSame(new Set(answers.map(({ said }) => said)), new Set(['200']));
  t.equal(server.introspection.calls.filter(({ body }) => body.includes('token=slow')).length, 1);
  t.equal((await tell(orders)).status, 401);
});
