import { decodeProtectedHeader, importPKCS8, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { makeSigningKey } from '../../src/jwt/sign.ts';
import { StorageUnavailable } from '../../src/storage/engine/errors.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { refresh, refreshed, tokens } from './grant-flow.ts';
import { basic, configuration, type Running, run, shop, web } from './running-service.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };
const encryption_keys = [Buffer.alloc(32, 7).toString('base64')];
const kidOf = (token: string) => decodeProtectedHeader(token).kid;

interface Nodes {
  readonly nodes: readonly Running[];
  /** Notifies the nodes as the database would. Nothing else notifies them. */
  wake(): void;
  /** How often each of them has read the list of keys. */
  readonly looks: number[];
}

/** Milliseconds. No scheduled read runs during a test, however slow the machine is. */
const NEVER = 86_400_000;

/** Two services on one database. Only the test notifies them. */
async function twoNodes(t: Test, storage: string): Promise<Nodes> {
  const directory = temporaryFolder(t);
  const wakes: (() => void)[] = [];
  const looks: number[] = [];
  const nodes: Running[] = [];
  for (const node of [0, 1]) {
    const records = await openRecords(storage, { directory, clock: systemClock, encryptionKeys: encryption_keys });
    looks.push(0);
    const counted: Records = {
      ...records,
      async listSigningKids() {
        const kids = await records.listSigningKids();
        looks[node] = (looks[node] ?? 0) + 1;
        return kids;
      },
      watchEvents(wake) {
        wakes.push(wake);
        return async () => {};
      },
    };
    nodes.push(await run(t, { directory, records: counted, keysEvery: NEVER, config: { encryption_keys } }));
  }
  // each reads once when it has begun to follow
  if (!(await until(() => wakes.length === 2 && looks.every((count) => count > 0))))
    throw new Error('they do not follow');
  const wake = () => {
    for (const each of wakes) each();
  };
  return { nodes, wake, looks };
}

async function leak({ service }: Running): Promise<{ kid: string; forge(claims?: object): Promise<string> }> {
  const [key] = await service.records.listSigningKeys();
  if (key === undefined) throw new Error('there is no key');
  const pem = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(key.privateKey).toString('base64')}\n-----END PRIVATE KEY-----`;
  const stolen = await importPKCS8(pem, 'ES256');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'http://localhost:8081', sub: 'shop-jwt', client_id: 'shop-jwt', scope: 'admin' };
  const common = { ...claims, aud: 'https://api.example.com', jti: 'forged', iat: now, exp: now + 600 };
  const header = { alg: 'ES256', typ: 'at+jwt' };
  return {
    kid: key.kid,
    forge: (named = { kid: key.kid }) => new SignJWT(common).setProtectedHeader({ ...header, ...named }).sign(stolen),
  };
}

async function replace({ service }: Running): Promise<void> {
  const key = { ...(await makeSigningKey('ES256')), createdAt: Math.floor(Date.now() / 1000) };
  await service.records.replaceSigningKeys(key);
}

async function published({ url }: Running): Promise<readonly string[]> {
  const answer = (await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
  return answer.keys.map(({ kid }) => kid);
}

async function endsAtOnce(t: Test, storage: string): Promise<void> {
  const { nodes } = await twoNodes(t, storage);
  const [first, second] = nodes as [Running, Running];
  const { kid, forge } = await leak(first);
  const before = await first.token({}, shopJwt);
  for (const token of [before, await forge(), await forge({})])
    for (const node of nodes) t.equal((await node.introspect(token)).active, true);
  await replace(second);
  for (const node of nodes) t.ok((await published(node)).includes(kid), 'nobody told this node');
  for (const node of nodes) {
    for (const token of [before, await forge(), await forge({})])
      t.strictSame(await node.introspect(token), { active: false });
    const after = await node.token({}, shopJwt);
    t.not(kidOf(after), kid);
    t.notOk((await published(node)).includes(kid), 'who signs has looked');
    for (const other of nodes) t.equal((await other.introspect(after)).active, true, 'also where nobody looked yet');
  }
}

async function takesOneNotice(t: Test, storage: string): Promise<void> {
  const { nodes, wake, looks } = await twoNodes(t, storage);
  const [first] = nodes as [Running];
  const { kid } = await leak(first);
  await replace(first);
  const before = [...looks];
  wake();
  for (const node of nodes) t.ok(await until(async () => !(await published(node)).includes(kid)));
  t.strictSame(
    looks,
    before.map((count) => count + 1),
    'one look each, and no token was asked for',
  );
}

const rules = {
  'from the commit that replaces it, a leaked key signs nothing, and no signature of it counts': endsAtOnce,
  'one event of the feed removes a leaked key from the published set of every node': takesOneNotice,
};

for (const [rule, holds] of Object.entries(rules)) {
  t.test(`${rule}: SQLite`, (t) => holds(t, 'sqlite:gatehouse.db'));
  t.test(`${rule}: PostgreSQL`, { skip: skipWithoutPostgres }, async (t) =>
    holds(t, await (await postgresServer(t)).database()),
  );
}

t.test('a JWT is not issued while the store does not say whether its key is still valid', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  let out = false;
  const listSigningKids = async () => {
    if (out) throw new StorageUnavailable('out');
    return records.listSigningKids();
  };
  const service = await run(t, { directory, records: { ...records, listSigningKids } });
  const ask = () => service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shopJwt));
  t.equal((await ask()).status, 200);
  out = true;
  const refused = await ask();
  t.equal(refused.status, 503);
  t.match(await refused.json(), { error: 'temporarily_unavailable' });
  out = false;
  t.equal((await ask()).status, 200);
});

t.test('a repeated answer contains no token of a key that was replaced since', async (t) => {
  const clients = configuration().clients.filter(({ client_id }) => client_id === 'web-retry');
  const again = await run(t, {
    config: { clients: clients.map((client) => ({ ...client, access_token_format: 'jwt' })) },
  });
  const webRetry = { id: 'web-retry', secret: web.secret };
  const first = await tokens(again, {}, webRetry);
  const second = await refreshed(again, first.refresh_token, {}, webRetry);
  const repeated = await refreshed(again, first.refresh_token, {}, webRetry);
  t.equal(repeated.access_token, second.access_token);
  await replace(again);
  const signedAgain = await refreshed(again, first.refresh_token, {}, webRetry);
  t.not(kidOf(signedAgain.access_token), kidOf(second.access_token));
  t.equal(signedAgain.refresh_token, second.refresh_token);
  t.equal((await refresh(again, second.refresh_token, {}, webRetry)).status, 200);
});
