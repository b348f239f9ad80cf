import { randomBytes } from 'node:crypto';
import { decodeProtectedHeader, importPKCS8, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { makeSigningKey } from '../../src/jwt/sign.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { requests, run, shop } from '../authorization/running-service.ts';
import { ready, spawnService, writeConfig } from '../authorization/service-process.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { percentiles } from './support/percentiles.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);

const ROUNDS = sized(5, 100, 500);
/** Tokens requested from each node before and after each rotation. */
const TOKENS = 4;
const shopJwt = { id: 'shop-jwt', secret: shop.secret };

type Node = ReturnType<typeof requests> & { readonly url: string };

async function startNode(t: Test, storage: string, key: string): Promise<Node> {
  const extra = `
  - { client_id: shop-jwt, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials], access_token_format: jwt }
encryption_keys: ['${key}']
`;
  const url = await ready(spawnService(t, writeConfig(temporaryFolder(t), { storage, extra })));
  return { url, ...requests(url) };
}

async function published({ url }: Pick<Node, 'url'>): Promise<readonly string[]> {
  const answer = (await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
  return answer.keys.map(({ kid }) => kid);
}

/** Like a thief: with the leaked key, with its kid and without one. */
async function forge(records: Records): Promise<{ kid: string; tokens(): Promise<readonly string[]> }> {
  const [key] = await records.listSigningKeys();
  if (key === undefined) throw new Error('there is no key');
  const text = Buffer.from(key.privateKey).toString('base64');
  const stolen = await importPKCS8(`-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`, 'ES256');
  const sign = (named: { kid?: string }) => {
    const iat = Math.floor(Date.now() / 1000);
    const who = { iss: 'http://localhost:8081', sub: 'shop-jwt', client_id: 'shop-jwt', scope: 'orders.read' };
    const claims = { ...who, aud: 'https://api.example.com', jti: randomBytes(16).toString('base64url') };
    const header = { alg: 'ES256', typ: 'at+jwt', ...named };
    return new SignJWT({ ...claims, iat, exp: iat + 600 }).setProtectedHeader(header).sign(stolen);
  };
  return { kid: key.kid, tokens: () => Promise.all([sign({ kid: key.kid }), sign({})]) };
}

const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

async function isActive(node: Node, token: string): Promise<boolean> {
  return (await node.introspect(token)).active === true;
}

async function count(promises: Promise<readonly boolean[]>): Promise<number> {
  return (await promises).filter(Boolean).length;
}

/** A PostgreSQL, and the verbs on it. */
async function oneStore(t: Test) {
  const storage = await (await postgresServer(t)).database();
  const key = randomBytes(32).toString('base64');
  const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys: [key] });
  t.teardown(() => records.close());
  return { storage, key, records };
}

async function twoNodes(t: Test) {
  const { storage, key, records } = await oneStore(t);
  const nodes = [await startNode(t, storage, key), await startNode(t, storage, key)];
  return { records, nodes };
}

t.test(
  `a leaked key is replaced ${ROUNDS} times on two nodes: after the commit it signs nothing, and no signature of it passes`,
  { skip: skipWithoutPostgres },
  async (t) => {
    const { records, nodes } = await twoNodes(t);
    const seen = { signed: 0, passed: 0, refused: 0, asked: 0, known: 0 };
    const gone: number[] = [];
    const everywhere = <T>(ask: (node: Node) => Promise<readonly T[]>) =>
      Promise.all(nodes.map(ask)).then((all) => all.flat());
    for (let round = 0; round < ROUNDS; round++) {
      const leaked = await forge(records);
      const before = await everywhere((node) => times(TOKENS, () => node.token({}, shopJwt)));
      seen.known += await count(everywhere(async (node) => [await isActive(node, (await leaked.tokens())[0] ?? '')]));
      await records.replaceSigningKeys({
        ...(await makeSigningKey('ES256')),
        createdAt: Math.floor(Date.now() / 1000),
      });
      const replaced = performance.now();
      // all of this begins after the commit
      const old = [...before, ...(await leaked.tokens())];
      const [passed, tokens] = await Promise.all([
        count(everywhere((node) => Promise.all(old.map((token) => isActive(node, token))))),
        everywhere((node) => times(TOKENS, () => node.token({}, shopJwt))),
      ]);
      seen.asked += old.length * nodes.length;
      seen.passed += passed;
      seen.signed += tokens.filter((token) => decodeProtectedHeader(token).kid === leaked.kid).length;
      seen.refused += await count(
        everywhere((node) => Promise.all(tokens.map(async (each) => !(await isActive(node, each))))),
      );
      for (const node of nodes)
        t.notOk((await published(node)).includes(leaked.kid), 'who signed since does not publish it');
      gone.push(performance.now() - replaced);
    }
    t.comment(`counted ${JSON.stringify(seen)}; all of a round within ${percentiles(gone).text}`);
    t.match(seen, { signed: 0, passed: 0, refused: 0, known: ROUNDS * nodes.length });
  },
);

/** Milliseconds. No scheduled read of the keys happens during the test, so a notice caused each change. */
const NEVER = 86_400_000;

t.test(
  `a leaked key is replaced ${ROUNDS} times without token requests: notices alone remove it from the key sets`,
  { skip: skipWithoutPostgres },
  async (t) => {
    const { storage, key, records } = await oneStore(t);
    const config = { storage, encryption_keys: [key] };
    const nodes = [await run(t, { config, keysEvery: NEVER }), await run(t, { config, keysEvery: NEVER })];
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { kid } = await forge(records);
      await records.replaceSigningKeys({
        ...(await makeSigningKey('ES256')),
        createdAt: Math.floor(Date.now() / 1000),
      });
      const replaced = performance.now();
      for (const node of nodes) t.ok(await until(async () => !(await published(node)).includes(kid)));
      took.push(performance.now() - replaced);
    }
    t.comment(`out of both key sets after ${percentiles(took).text}`);
  },
);
