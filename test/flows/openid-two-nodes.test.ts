import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import { openTab, type Tab } from '../authorization/browser/walk.ts';
import { type OpenidAnswer, openidPath, redeemed, walk } from '../authorization/openid/provider.ts';
import { basic, gateway, passwordHash, requests } from '../authorization/running-service.ts';
import { ready, type ServiceProcess, spawnService } from '../authorization/service-process.ts';
import { freePort } from '../support/free-port.ts';
import { isFullSize } from '../support/long.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const SESSIONS = isFullSize ? 100 : 10;
const AT_ONCE = 20;
/** The sessions in whose end a node is killed, and the node. */
const killed = new Map([
  [Math.floor(SESSIONS / 3), 1],
  [Math.floor(SESSIONS / 2), 0],
]);

/** Starts PostgreSQL and four processes, and logs in three hundred times in .ci/run. */
t.setTimeout(300_000);

/** What one client heard. It can hold its answers back. */
interface Party {
  readonly id: string;
  readonly secret: string;
  readonly callback: string;
  readonly url: string;
  readonly heard: { readonly sid: string; readonly jti: string }[];
  hold(): void;
  /** Ends the requests under way without an answer, and answers the next ones. */
  drop(): void;
}

async function party(t: Test, id: string): Promise<Party> {
  const heard: Party['heard'] = [];
  let held: ServerResponse[] | undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      heard.push(claimsOf(new URLSearchParams(body).get('logout_token') ?? ''));
      if (held === undefined) response.writeHead(204).end();
      else held.push(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const drop = () => {
    for (const response of held ?? []) response.destroy();
    held = undefined;
  };
  const secret = `cs_${id}-secret-of-32-bytes-or-more!`;
  return { id, secret, callback: `https://${id}.example.com/callback`, url, heard, hold: () => (held = []), drop };
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string; jti: string };

/** One node, a separate process that can be killed and started again at its port. */
class Node {
  readonly url: string;
  readonly #t: Test;
  readonly #file: string;
  #running: ServiceProcess | undefined;

  constructor(t: Test, port: number, text: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#t = t;
    this.#file = join(temporaryFolder(t), 'authorization.yaml');
    writeFileSync(this.#file, `${text}listen: 127.0.0.1:${port}\n`, { mode: 0o600 });
  }

  async start(): Promise<void> {
    this.#running = spawnService(this.#t, this.#file);
    await ready(this.#running);
  }

  async kill(): Promise<void> {
    this.#running?.child.kill('SIGKILL');
    await this.#running?.ended;
  }

  refresh(refresh_token: string, client: Party): Promise<Response> {
    return requests(this.url).post('/oauth2/token', { grant_type: 'refresh_token', refresh_token }, basic(client));
  }

  /** The same browser at this node. */
  async signOut({ cookies }: Tab, hint: string): Promise<void> {
    const tab = openTab(this);
    for (const [name, value] of cookies) tab.cookies.set(name, value);
    await tab.get(`/oauth2/logout?id_token_hint=${hint}`);
  }
}

function yaml(issuer: string, storage: string, key: string, parties: readonly Party[]): string {
  const clients = parties.map(
    ({ id, secret, callback, url }) =>
      `  - { client_id: ${id}, client_secret: '${secret}', scope: openid, grant_types: [authorization_code, refresh_token], redirect_uris: ['${callback}'], backchannel_logout_uri: '${url}' }`,
  );
  return `version: 1
issuer: ${issuer}
storage: ${storage}
encryption_keys: ['${key}']
resources: [https://api.example.com]
openid: { enabled: true }
outbound: { private_addresses: [127.0.0.0/8], timeout: 500ms }
tokens: { max_a_minute: 1000000 }
clients:
  - { client_id: ${gateway.id}, client_secret: ${gateway.secret}, grant_types: [], introspect: true }
${clients.join('\n')}
users:
  - { username: alice, password_argon2: '${passwordHash('wonderland')}' }
`;
}

interface Login {
  readonly client: Party;
  readonly answer: OpenidAnswer;
}

/** One session of one browser, at all clients. The first login asks for the password. */
async function logIn(node: Node, tab: Tab, [first, ...others]: readonly Party[]): Promise<readonly Login[]> {
  const at = async (client: Party): Promise<Login> => {
    const page = await walk(tab, openidPath({ client_id: client.id, redirect_uri: client.callback }));
    return { client, answer: await redeemed(requests(node.url), page, client, client.callback) };
  };
  return [await at(first as Party), ...(await Promise.all(others.map(at)))];
}

/** A request to a node that is killed meanwhile gets no answer. */
const unlessKilled = <T>(request: Promise<T>) => request.catch(() => undefined);

/** Half of the requests sign out, half refresh, and each node gets half of both. Returns the logins that came of it. */
async function endAtOnce(nodes: readonly Node[], tab: Tab, logins: readonly Login[]): Promise<readonly Login[]> {
  const done = Array.from({ length: AT_ONCE }, async (_, index): Promise<readonly Login[]> => {
    const node = nodes[index % 2] as Node;
    const { client, answer } = logins[index % logins.length] as Login;
    if (index % 4 < 2) return node.signOut(tab, answer.id_token).then(() => []);
    const response = await node.refresh(answer.refresh_token, client);
    return response.status === 200 ? [{ client, answer: (await response.json()) as OpenidAnswer }] : [];
  });
  return (await Promise.all(done.map(unlessKilled))).flatMap((each) => each ?? []);
}

/** Each node judges one of the tokens. */
async function judged([one, two]: readonly Node[], { client, answer }: Login) {
  const [{ status }, { active }] = await Promise.all([
    (one as Node).refresh(answer.refresh_token, client),
    requests((two as Node).url).introspect(answer.access_token, gateway),
  ]);
  return { active, refresh: status };
}

/** Kills a node after the session has ended in the store, while no client has answered. */
async function killBetween(node: Node, parties: readonly Party[], sids: readonly string[]): Promise<void> {
  await until(() => parties.every(({ heard }, index) => heard.some(({ sid }) => sid === sids[index])));
  await node.kill();
  for (const each of parties) each.drop();
  await node.start();
}

t.test(
  `${SESSIONS} sessions at three clients and two processes, ${AT_ONCE} logouts and refreshes at once for each, kill -9 between: no token survives, and each client learns of each session`,
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    const storage = await server.database();
    const key = randomBytes(32).toString('base64');
    const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys: [key] });
    t.teardown(() => records.close());
    const parties = await Promise.all(['shop', 'mail', 'maps'].map((id) => party(t, id)));
    const ports = [await freePort(), await freePort()];
    const text = yaml(`http://127.0.0.1:${ports[0]}`, storage, key, parties);
    const nodes = ports.map((port) => new Node(t, port, text));
    for (const node of nodes) await node.start();
    const one = nodes[0] as Node;
    const ended: string[][] = [];
    const interrupted: string[] = [];

    for (let count = 0; count < SESSIONS; count++) {
      const tab = openTab(one);
      const logins = await logIn(one, tab, parties);
      const sids = logins.map(({ answer }) => claimsOf(answer.id_token).sid);
      ended.push(sids);
      const victim = nodes[killed.get(count) ?? -1];
      if (victim !== undefined) for (const each of parties) each.hold();
      const ending = endAtOnce(nodes, tab, logins);
      if (victim !== undefined) {
        await killBetween(victim, parties, sids);
        interrupted.push(...sids);
      }
      const verdicts = await Promise.all([...logins, ...(await ending)].map((each) => judged(nodes, each)));
      for (const verdict of verdicts) t.strictSame(verdict, { active: false, refresh: 400 });
    }
    t.ok(await until(async () => (await records.countLogoutNotices()) === 0), 'every client has answered');
    for (const [index, { id, heard }] of parties.entries()) {
      t.strictSame(new Set(heard.map(({ sid }) => sid)), new Set(ended.map((sids) => sids[index])), id);
      t.comment(`${id}: ${heard.length} logout tokens for ${SESSIONS} sessions`);
    }
    const heard = parties.flatMap((each) => each.heard);
    const pairs = new Set(heard.map(({ sid, jti }) => `${sid} ${jti}`));
    t.equal(pairs.size, parties.length * SESSIONS, 'a repeat has the same jti');
    t.equal(new Set(heard.map(({ jti }) => jti)).size, pairs.size, 'only a repeat has the same jti');
    for (const each of interrupted)
      t.ok(heard.filter(({ sid }) => sid === each).length > 1, 'told again after the kill');
  },
);
