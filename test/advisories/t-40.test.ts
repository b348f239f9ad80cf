import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { endpoint, json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { sendAll } from '../support/many.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { audience, issuer } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const TOKENS = 100;
const PATIENCE = 20_000;

interface Signer {
  readonly jwk: JWK;
  sign(): Promise<string>;
}

async function signer(kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const claims = { iss: issuer, aud: audience, sub: 'alice', client_id: 'shop', scope: 'orders.read' };
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    sign: () =>
      new SignJWT({ ...claims, jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
  };
}

function signed({ sign }: Signer): Promise<string[]> {
  return Promise.all(Array.from({ length: TOKENS }, sign));
}

async function opened(t: Test, first: Signer, jwks: object) {
  const state = { published: [first] };
  const server = await endpoint(t, (_request, response) =>
    json(response, { keys: state.published.map(({ jwk }) => jwk) }),
  );
  const upstream = await witness(t);
  const main = { issuer, audience, jwks_uri: `${server.url}/jwks`, algorithms: ['ES256'], verify: 'jwt', jwks };
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: { main } }));
  return { port, server, state };
}

function answered(statuses: ReadonlyMap<number, number>): number {
  return [...statuses.values()].reduce((sum, count) => sum + count, 0);
}

/** Requests without a pause, each with the next of the tokens that are valid at that moment. */
function load(port: number, current: () => readonly string[]) {
  let going = true;
  const statuses = new Map<number, number>();
  function* items() {
    for (let index = 0; going; index++) yield current()[index % current().length] as string;
  }
  const done = sendAll({
    port,
    items: items(),
    bytes: (token) => requestText({ target: '/orders/1', headers: [bearer(token)] }),
    onAnswer: (_, response) => void statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1),
  });
  const stop = () => {
    going = false;
    return done;
  };
  return { statuses, stop };
}

t.test('T40: under load, a key that signs as soon as it is published fails no request', async (t) => {
  const [old, young] = [await signer('old'), await signer('young')];
  const { port, server, state } = await opened(t, old, {});
  const [before, after] = [await signed(old), await signed(young)];
  let current: readonly string[] = before;
  const { statuses, stop } = load(port, () => current);
  t.ok(await until(() => answered(statuses) >= TOKENS, PATIENCE), 'it was load before');
  state.published = [old, young];
  current = [...before, ...after].toSorted();
  t.ok(await until(() => answered(statuses) >= 4 * TOKENS, PATIENCE), 'and after');
  await stop();
  t.same([...statuses.keys()], [200], JSON.stringify([...statuses]));
  t.equal(server.calls.length, 2, 'one fetch for the new kid');
});

t.test('T40: a key that is removed after its last token fails no request, and accepts none afterwards', async (t) => {
  const [old, young] = [await signer('old'), await signer('young')];
  const { port, server, state } = await opened(t, old, { ttl: '1s', cooldown: '1s' });
  const [before, after] = [await signed(old), await signed(young)];
  const status = async (token: string) =>
    (await ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }))).status;
  t.equal(await status(before[0] as string), 200);
  state.published = [old, young];
  let current: readonly string[] = [...before, ...after].toSorted();
  const { statuses, stop } = load(port, () => current);
  t.ok(await until(() => answered(statuses) >= 2 * TOKENS, PATIENCE), 'both keys were used');
  current = after;
  await pause(100);
  state.published = [young];
  const fetches = server.calls.length;
  t.ok(await until(() => server.calls.length >= fetches + 2, PATIENCE), 'the set is fetched again');
  await stop();
  t.same([...statuses.keys()], [200], JSON.stringify([...statuses]));
  t.equal(await status(await old.sign()), 401, 'a token that was never seen');
  t.equal(await status(before[0] as string), 401, 'a token that was verified before');
  t.equal(await status(after[0] as string), 200);
});
