import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { type Endpoint, endpoint, json } from '../support/endpoint.ts';
import { freePort } from '../support/free-port.ts';
import { behind } from '../support/gateway.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { serving } from '../support/serving.ts';
import { audience, issuer } from '../support/tokens.ts';
import { type PacedLoad, paced } from './support/paced.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));
t.jobs = 2;

const GOOD = 500;
/** Milliseconds between two fetches for unknown keys. */
const COOLDOWN = sized(1_000, 2_000, 10_000);
const ROTATIONS = sized(4, 20, 60);
/** The part of a cooldown between the first token of a key and the next key. A larger part allows a later fetch. */
const BETWEEN = sized(2.5, 0.7, 0.7);
/** The part of the pace that a machine must reach. */
const KEPT = sized(0.4, 0.8, 0.8);
const TOKENS = 250;
/** The quick size has 500 kids a second, for a slow machine that also runs other files. */
const FLOOD = sized({ kids: 2_000, seconds: 4 }, { kids: 10_000, seconds: 59 }, { kids: 100_000, seconds: 299 });

interface Key {
  readonly jwk: JWK;
  /** Values of Authorization, each with a different token. */
  readonly values: readonly string[];
}

let made = 0;

async function newKey(): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = `key-${++made}`;
  const now = Math.floor(Date.now() / 1000);
  const signed = (jti: string) =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'alice', client_id: 'shop', iat: now, exp: now + 7200, jti })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .sign(privateKey);
  const values = await Promise.all(
    Array.from({ length: TOKENS }, async (_, index) => `Bearer ${await signed(`${kid}-${index}`)}`),
  );
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }, values };
}

interface Scene {
  readonly gateway: GatewayProcess;
  readonly keys: Endpoint;
  readonly good: PacedLoad;
  publish(...keys: Key[]): void;
}

async function scene(t: Test, first: Key, cooldown: number): Promise<Scene> {
  let published: readonly Key[] = [first];
  const keys = await endpoint(t, (_request, response) => json(response, { keys: published.map(({ jwk }) => jwk) }));
  const main = { issuer, audience, jwks_uri: `${keys.url}/jwks`, verify: 'jwt', jwks: { cooldown: `${cooldown}ms` } };
  const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, access: 'authenticated' }];
  const admin = `127.0.0.1:${await freePort()}`;
  const config = behind(await serving(t, quietUpstream()), { admin, authorization_servers: { main }, routes });
  const gateway = await startProcess({ config });
  t.teardown(() => gateway.stop());
  const load = { port: gateway.port, target: '/orders/1', perSecond: GOOD, connections: 32, values: first.values };
  const publish = (...next: Key[]) => {
    published = next;
  };
  return { gateway, keys, good: paced(t, load), publish };
}

void t.test('keys that rotate with overlap, at 500 requests a second, cause no refusal', async (t) => {
  let current = await newKey();
  const { gateway, keys, good, publish } = await scene(t, current, COOLDOWN);
  const statuses: Record<string, number> = {};
  const count = (told: Awaited<ReturnType<PacedLoad['told']>>) => {
    for (const [status, times] of Object.entries(told.statuses)) statuses[status] = (statuses[status] ?? 0) + times;
  };
  for (let rotation = 0; rotation < ROTATIONS; rotation++) {
    const next = await newKey();
    publish(current, next);
    await pause(COOLDOWN / 2);
    // These keys are unknown until the first of their tokens arrives.
    count(await good.take(next.values));
    await pause(COOLDOWN * BETWEEN);
    current = next;
  }
  count(await good.told());
  const sent = Object.values(statuses).reduce((sum, each) => sum + each, 0);
  t.comment(`${JSON.stringify(statuses)} in ${ROTATIONS} rotations, ${keys.calls.length} fetches`);
  t.strictSame(Object.keys(statuses), ['200'], JSON.stringify(statuses));
  t.ok(sent > KEPT * GOOD * ((ROTATIONS * (0.5 + BETWEEN) * COOLDOWN) / 1000), `${sent} requests`);
  t.ok(keys.calls.length <= ROTATIONS + 2, `${keys.calls.length} fetches`);
  t.strictSame(throws(gateway.output()), []);
});

void t.test('unknown kids cause at most six fetches a minute, and good tokens are not affected', async (t) => {
  const key = await newKey();
  const { gateway, keys, good } = await scene(t, key, 10_000);
  await pause(500);
  const before = keys.calls.length;
  const jwt = (key.values[0] ?? '').slice('Bearer '.length);
  const perSecond = FLOOD.kids / FLOOD.seconds;
  const began = performance.now();
  const forged = { jwt, opaque: '', only: 'kids' } as const;
  const flood = paced(t, { port: gateway.port, target: '/orders/1', perSecond, connections: 64, forged });
  await pause(FLOOD.seconds * 1000);
  const [bad, told] = [await flood.told(), await good.told()];
  const seconds = (performance.now() - began) / 1000;
  const fetches = keys.calls.length - before;
  t.comment(`${bad.sent} kids in ${seconds.toFixed(1)} s: ${fetches} fetches`);
  t.ok(bad.sent > KEPT * FLOOD.kids, `${bad.sent} kids`);
  t.ok(fetches >= 1 && fetches <= Math.ceil(seconds / 10), `${fetches} fetches in ${seconds.toFixed(1)} s`);
  t.strictSame(Object.keys(bad.statuses), ['401'], JSON.stringify(bad.statuses));
  t.strictSame(Object.keys(told.statuses), ['200'], JSON.stringify(told.statuses));
  t.strictSame(throws(gateway.output()), []);
});
