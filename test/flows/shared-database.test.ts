import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { tokenStore } from '../../src/gateway/verify/token-store.ts';
import { openRecords } from '../../src/storage/open.ts';
import { openTokenFacts } from '../../src/storage/open-lookup.ts';
import { basic, requests, run, shop } from '../authorization/running-service.ts';
import { ready, spawnService, writeConfig } from '../authorization/service-process.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { signingKey } from '../support/keys.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { reloadable } from '../support/reloadable.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { audience, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

/** Starts PostgreSQL and programs, and opens services: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const secret = 'cs_shop-secret-of-32-bytes-or-so';
const clients = { opaque: { id: 'shop', secret }, jwt: { id: 'shop-jwt', secret } };
type Format = keyof typeof clients;
const formats: readonly Format[] = ['opaque', 'jwt'];

/** `gatehouse authorization` in a separate process, on `gatehouse.db` of the directory. */
async function service(test: Test, directory: string, listen = '127.0.0.1:0') {
  const shopJwt = `{ client_id: shop-jwt, client_secret: ${secret}, scope: orders.read, grant_types: [client_credentials], access_token_format: jwt }`;
  const url = await ready(spawnService(test, writeConfig(directory, { listen, extra: `  - ${shopJwt}` })));
  const { post, token, introspect } = requests(url);
  return {
    url,
    introspect: (token: string) => introspect(token, { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' }),
    issue: (format: Format) => token({}, clients[format]),
    async revoke(format: Format, token: string) {
      const { status } = await post('/oauth2/revoke', { token }, basic(clients[format]));
      if (status !== 200) throw new Error(`revocation: ${status}`);
    },
  };
}

const block = (storage: string, url: string, more: object = {}) => ({
  authorization_servers: {
    main: {
      issuer: 'http://localhost:8081',
      audience,
      verify: 'store',
      storage,
      jwks_uri: `${url}/oauth2/jwks`,
      cache: { ttl: '0s', negative_ttl: '0s' },
      ...more,
    },
  },
  admin: '127.0.0.1:0',
});

/** One service for all tests that do not move its database. */
const common = temporaryFolder(t);
const serving = service(t, common);

async function bench(t: Test, more: object = {}) {
  const upstream = await witness(t);
  const server = await serving;
  const running = await gateway(t, behind(upstream.url, block(`sqlite:${common}/gatehouse.db`, server.url, more)));
  return { ...server, upstream, get: getter(running) };
}

function getter({ port }: Pick<TestGateway, 'port'>) {
  return (token: string, target = '/orders/1') => ask(port, requestText({ target, headers: [bearer(token)] }));
}

async function isReady({ adminUrl }: Pick<TestGateway, 'adminUrl'>): Promise<boolean> {
  return (await fetch(`${adminUrl}/readyz`)).status === 200;
}

async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

function code(response: RawResponse): unknown {
  return JSON.parse(response.body.toString()).code;
}

/** An outage is never reported as an invalid token, and never passes. */
function assertOutage(t: Test, response: RawResponse, title: string): void {
  t.equal(response.status, 503, title);
  t.equal(code(response), 'authorization_server_unavailable', title);
  t.ok(Number(response.header('retry-after')) > 0, `${title}: Retry-After`);
  t.same(response.all('www-authenticate'), [], title);
}

for (const format of formats) {
  t.test(`${format}: a token of the service passes, with the facts that introspection would return`, async (t) => {
    const { issue, get, upstream } = await bench(t);
    const token = await issue(format);
    t.equal((await get(token)).status, 200);
    t.equal(upstream.seen[0]?.header('x-auth-client'), clients[format].id);
    t.equal(upstream.seen[0]?.header('x-auth-scope'), 'orders.read');
    const scopeless = await get(token, '/admin/1');
    t.equal(scopeless.status, 403);
    t.equal(code(scopeless), 'scope_insufficient');
  });

  t.test(`${format}: a revoked token is refused, and another one is not`, async (t) => {
    const { issue, revoke, get } = await bench(t);
    const [token, other] = [await issue(format), await issue(format)];
    t.equal((await get(token)).status, 200);
    await revoke(format, token);
    const refused = await get(token);
    t.equal(refused.status, 401);
    t.equal(code(refused), 'token_inactive');
    t.match(refused.header('www-authenticate'), /error="invalid_token"/);
    t.equal((await get(other)).status, 200);
  });

  t.test(`${format}: tokens from before \`client revoke-tokens\` are refused, and later ones are not`, async (t) => {
    const { issue, get } = await bench(t);
    const before = await issue(format);
    t.equal((await get(before)).status, 200);
    const { status, stderr } = await command(t, [
      ...['client', 'revoke-tokens', clients[format].id, '--config', join(common, 'authorization.yaml')],
    ]).ended();
    t.equal(status, 0, stderr);
    t.equal(code(await get(before)), 'token_inactive');
    t.equal((await get(await issue(format))).status, 200);
  });

  t.test(`${format}: cached facts are used for cache.ttl, and no longer`, async (t) => {
    const { issue, revoke, get } = await bench(t, { cache: { ttl: '1s', negative_ttl: '0s' } });
    const token = await issue(format);
    const asked = performance.now();
    t.equal((await get(token)).status, 200);
    await revoke(format, token);
    const stillHeld = await get(token);
    if (performance.now() - asked < 900) t.equal(stillHeld.status, 200, 'the fact is cached');
    t.ok(await eventually(async () => (await get(token)).status === 401));
    t.ok(performance.now() - asked < 10_000);
  });

  t.test(`${format}: a database that is moved away is an outage until it is back`, async (t) => {
    const directory = temporaryFolder(t);
    const upstream = await witness(t);
    const { issue, url } = await service(t, directory);
    const running = await gateway(t, behind(upstream.url, block(`sqlite:${directory}/gatehouse.db`, url)));
    const get = getter(running);
    const token = await issue(format);
    t.equal((await get(token)).status, 200);
    t.ok(await eventually(() => isReady(running)));
    const file = join(directory, 'gatehouse.db');
    renameSync(file, `${file}.away`);
    assertOutage(t, await get(token), 'a known token');
    assertOutage(t, await get('at_never-seen'), 'an unknown token');
    t.ok(await eventually(async () => !(await isReady(running))), 'not ready');
    renameSync(`${file}.away`, file);
    t.equal((await get(token)).status, 200);
    t.ok(await eventually(() => isReady(running)), 'ready again');
    const told = running.log.filter(({ msg }) => msg === 'cannot ask the database of tokens');
    t.equal(told.length, 1, 'told once');
    t.match(told[0]?.detail, /there is no database/);
  });
}

t.test(
  'a token that is unknown, for another audience, signed with another key or without a jti is refused',
  async (t) => {
    const { issue, get } = await bench(t);
    t.equal(code(await get('at_never-seen')), 'token_inactive');
    t.equal(code(await get(await jwt({ iss: 'http://localhost:8081', scope: 'orders.read' }))), 'token_signature');
    const token = await issue('jwt');
    const [head, claims] = token.split('.');
    t.equal(code(await get(`${head}.${claims}.${'A'.repeat(86)}`)), 'token_signature');
    const elsewhere = await bench(t, { audience: 'https://other.example.com' });
    for (const format of formats) t.equal(code(await elsewhere.get(await elsewhere.issue(format))), 'token_audience');
  },
);

t.test('a JWT without a jti could not have been revoked, so it is refused (RFC 9068 §2.2)', async (t) => {
  const directory = temporaryFolder(t);
  await (await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock })).close();
  const upstream = await witness(t);
  const { jwk } = await signingKey('ES256');
  writeFileSync(join(directory, 'keys.json'), JSON.stringify({ keys: [jwk] }));
  const more = { jwks_uri: undefined, jwks_file: `${directory}/keys.json` };
  const get = getter(await gateway(t, behind(upstream.url, block(`sqlite:${directory}/gatehouse.db`, '', more))));
  const claims = { iss: 'http://localhost:8081', scope: 'orders.read' };
  t.equal((await get(await jwt(claims))).status, 200);
  t.equal(code(await get(await jwt({ ...claims, jti: undefined }))), 'token_inactive');
});

t.test('a revoked JWT stays refused when its entry is deleted: `exp` has no leeway here', async (t) => {
  const directory = temporaryFolder(t);
  await (await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock })).close();
  const upstream = await witness(t);
  const { jwk } = await signingKey('ES256');
  writeFileSync(join(directory, 'keys.json'), JSON.stringify({ keys: [jwk] }));
  const more = { jwks_uri: undefined, jwks_file: `${directory}/keys.json`, clock_skew: '5m' };
  const get = getter(await gateway(t, behind(upstream.url, block(`sqlite:${directory}/gatehouse.db`, '', more))));
  const exp = Math.floor(Date.now() / 1000) - 1;
  t.equal(code(await get(await jwt({ iss: 'http://localhost:8081', scope: 'orders.read', exp }))), 'token_expired');
});

t.test(
  'a gateway that starts before the database works once it exists; a relative path starts at the configuration file',
  async (t) => {
    const directory = temporaryFolder(t);
    const upstream = await witness(t);
    const storage = `sqlite:../${basename(directory)}/gatehouse.db`;
    const port = await freePort();
    const running = await reloadable(t, behind(upstream.url, block(storage, `http://127.0.0.1:${port}`)));
    const get = getter(running);
    assertOutage(t, await get('at_never-seen'), 'no database');
    t.equal(await isReady(running), false);
    const server = await service(t, directory, `127.0.0.1:${port}`);
    t.equal((await get(await server.issue('opaque'))).status, 200);
    t.ok(await eventually(() => isReady(running)));
  },
);

t.test('a database of another program is an outage, and the gateway is not ready', async (t) => {
  const directory = temporaryFolder(t);
  new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 5_000 }).exec('CREATE TABLE access_token (id)');
  const upstream = await witness(t);
  const running = await gateway(
    t,
    behind(upstream.url, block(`sqlite:${directory}/gatehouse.db`, 'http://127.0.0.1:9')),
  );
  assertOutage(t, await getter(running)('at_never-seen'), 'a foreign schema');
  t.equal(await isReady(running), false);
});

t.test('cached facts survive a reload, and a revocation after it counts', async (t) => {
  const upstream = await witness(t);
  const server = await serving;
  const body = behind(upstream.url, block(`sqlite:${common}/gatehouse.db`, server.url));
  const running = await reloadable(t, body);
  const get = getter(running);
  const token = await server.issue('opaque');
  t.equal((await get(token)).status, 200);
  t.match(await running.take({ ...body, realm: 'another' }), { ok: true });
  t.equal((await get(token)).status, 200);
  await server.revoke('opaque', token);
  t.equal((await get(token)).status, 401);
});

t.test('the store returns the same about an opaque token as introspection', async (t) => {
  const { issue, introspect } = await serving;
  const facts = openTokenFacts('sqlite:gatehouse.db', { directory: common, clock: systemClock });
  t.teardown(() => facts.close());
  const faults = { failed: () => {}, recovered: () => {} };
  const { ask } = tokenStore(facts, { issuer: 'http://localhost:8081', clock: systemClock, faults });
  const token = await issue('opaque');
  t.strictSame(await ask('', token), { kind: 'json', value: await introspect(token) });
  t.strictSame(await ask('', 'at_never-seen'), { kind: 'json', value: await introspect('at_never-seen') });
});

t.test('PostgreSQL: a token passes while the service counts it as active', { skip: skipWithoutPostgres }, async (t) => {
  const storage = await (await postgresServer(t)).database();
  const config = { storage, encryption_keys: [randomBytes(32).toString('base64')] };
  const server = await run(t, { config });
  const upstream = await witness(t);
  const get = getter(await gateway(t, behind(upstream.url, block(storage, server.url))));
  for (const client of [shop, { id: 'shop-jwt', secret: shop.secret }]) {
    const token = await server.token({ scope: 'orders.read' }, client);
    t.equal((await get(token)).status, 200, client.id);
    await server.post('/oauth2/revoke', { token }, basic(client));
    t.equal((await get(token)).status, 401, `${client.id}: revoked`);
  }
});
