import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { basic } from '../authorization/running-service.ts';
import { childrenOf } from '../support/group.ts';
import { askHttp2, http2Client } from '../support/http2-client.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { parseResponse } from '../support/raw-response.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { type Program, program, recovers } from './support/program.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 4;

const FILES = 128;
const CLIENTS = 400;
const ROUNDS = sized(1, 3, 50);
const RECOVERY = sized(15_000, 2_000, 2_000);
/** Milliseconds of a probe while no files are left. */
const PROBED = sized(4_500, 2_000, 2_000);

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const skip = !hasPrlimit && 'no prlimit here';

const wrapper = ['prlimit', `--nofile=${FILES}`];

const gatewayFile = (upstream: string, more = '') => `${more}
log: { level: warn, format: json }
upstreams: { api: { url: "${upstream}" } }
defaults: { upstream: api }
routes: [{ match: { path: /a }, access: public }]
`;

const shop = { id: 'shop', secret: 'cs_shop-secret-of-32-bytes-or-so' };
const serviceFile = `issuer: http://localhost:8081
storage: sqlite:gatehouse.db
log: { level: warn, format: json }
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
clients:
  - { client_id: shop, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials] }
`;

const get = 'GET /a HTTP/1.1\r\nHost: api.example.com\r\n\r\n';
const grant = 'grant_type=client_credentials';
const post = [
  'POST /oauth2/token HTTP/1.1',
  'Host: localhost:8081',
  `Authorization: ${basic(shop).authorization}`,
  'Content-Type: application/x-www-form-urlencoded',
  `Content-Length: ${grant.length}`,
  '',
  grant,
].join('\r\n');

interface Row {
  readonly start: (t: Test) => Promise<Program>;
  readonly request: string;
}

/** An answer takes so long that all clients are there at the same time. */
const slowUpstream = (t: Test) => witness(t, { delay: 30 });

const rows: Readonly<Record<string, Row>> = {
  'the gateway': {
    start: async (t) => {
      const { url } = await slowUpstream(t);
      return program(t, 'gateway', () => gatewayFile(url), { wrapper });
    },
    request: get,
  },
  'the gateway with two workers': {
    start: async (t) => {
      const { url } = await slowUpstream(t);
      return program(t, 'gateway', () => gatewayFile(url, 'workers: 2'), { wrapper });
    },
    request: get,
  },
  'the authorization service': {
    start: (t) => program(t, 'authorization', () => serviceFile, { wrapper }),
    request: post,
  },
};

interface Client {
  readonly socket: Socket;
  /** 200, another status, nothing, or half of an answer. */
  told(): string;
}

function client(port: number, request: string): Client {
  const chunks: Buffer[] = [];
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
  return {
    socket,
    told() {
      const bytes = Buffer.concat(chunks);
      if (bytes.length === 0) return 'nothing';
      const parsed = parseResponse(bytes, 'GET', false);
      return parsed === 'more' ? 'half' : String(parsed.response.status);
    },
  };
}

/** Milliseconds of a probe; Infinity: it got no answer. */
async function probe({ adminUrl }: Program): Promise<number> {
  const start = performance.now();
  const signal = AbortSignal.timeout(5_000);
  const status = await fetch(`${adminUrl}/livez`, { signal, headers: { connection: 'close' } }).then(
    (response) => response.status,
    () => 0,
  );
  return status === 200 ? performance.now() - start : Number.POSITIVE_INFINITY;
}

for (const [name, { start, request }] of Object.entries(rows)) {
  t.test(
    `${name} with ${FILES} files and ${CLIENTS} clients: it survives, answers probes and recovers`,
    { skip },
    async (t) => {
      const served = await start(t);
      const children = childrenOf(served.pid);
      const counted: Record<string, number> = {};
      const figures: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const clients = Array.from({ length: CLIENTS }, () => client(served.port, request));
        const probes: number[] = [];
        for (let count = 0; count < 5; count++) {
          probes.push(await probe(served));
          await pause(100);
        }
        await pause(300);
        for (const { told } of clients) counted[told()] = (counted[told()] ?? 0) + 1;
        for (const { socket } of clients) socket.destroy();
        const isServed = async () => {
          const after = client(served.port, request);
          await until(() => after.told() !== 'nothing', 500);
          after.socket.destroy();
          return after.told() === '200';
        };
        const took = await recovers(t, 'well again', isServed, RECOVERY);
        t.ok(Math.max(...probes) < PROBED, `probes within ${Math.max(...probes).toFixed(0)} ms`);
        figures.push(`${Math.max(...probes).toFixed(0)}/${took.toFixed(0)}`);
      }
      t.comment(`${JSON.stringify(counted)}, slowest probe/recovery in ms: ${figures.join(' ')}`);
      t.strictSame(
        Object.keys(counted).filter((told) => told !== '200' && told !== 'nothing'),
        [],
        'whole answers or none',
      );
      t.ok((counted['200'] ?? 0) >= 20 * ROUNDS, 'as many as there is room for are served');
      t.equal(served.child.exitCode, null, 'it lives');
      t.strictSame(childrenOf(served.pid), children, 'and so do its workers');
    },
  );
}

/** More than there are descriptors for, over one connection of a client. */
const AT_ONCE = 100;
/** The descriptors beside the program's own files, half for clients and half for upstreams. */
const ROOM = (FILES - 64) / 2;
const UPSTREAMS = ['a', 'b', 'c', 'd'] as const;

/** Status and wait of each of so many simultaneous requests; an incomplete answer has no status. */
async function askMany(t: Test, port: number, paths: readonly string[]): Promise<readonly string[]> {
  const session = await http2Client(t, port);
  const answers = await Promise.all(paths.map((path) => askHttp2(session, { ':path': path })));
  session.destroy();
  return answers.map(({ whole, status, header }) =>
    whole ? `${status} ${header('retry-after') ?? ''}`.trim() : 'cut',
  );
}

const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
const listen = { tls, http2: true };

interface Tally {
  readonly [told: string]: number;
}

const tallyOf = (told: readonly string[]): Tally =>
  Object.fromEntries([...Map.groupBy(told, (each) => each)].map(([each, all]) => [each, all.length]));

/** Slow, and its connections are kept for a minute. */
async function countingUpstream(t: Test): Promise<{ readonly url: string; most(): number }> {
  const upstream = await witness(t);
  let most = 0;
  upstream.behave((_request, response) => {
    most = Math.max(most, upstream.connections.size);
    setTimeout(() => response.end('ok'), 300);
  });
  return { url: upstream.url, most: () => most };
}

for (const engine of ['undici', 'own'] as const) {
  t.test(
    `one client over HTTP/2, ${AT_ONCE} requests at a time, ${FILES} files, engine ${engine}`,
    { skip },
    async (t) => {
      const upstreams = await Promise.all(UPSTREAMS.map(() => countingUpstream(t)));
      const blocks = UPSTREAMS.map(
        (letter, index) => `  ${letter}: { url: "${upstreams[index]?.url}", engine: ${engine} }`,
      );
      const routes = UPSTREAMS.map(
        (letter) => `  - { match: { path: /${letter} }, access: public, upstream: ${letter} }`,
      );
      const text = `log: { level: warn, format: json }\nupstreams:\n${blocks.join('\n')}\nroutes:\n${routes.join('\n')}\n`;
      const served = await program(t, 'gateway', () => text, { wrapper, listen });
      const askAll = async (pathOf: (index: number) => string) => {
        const asked = askMany(
          t,
          served.port,
          Array.from({ length: AT_ONCE }, (_, index) => pathOf(index)),
        );
        await pause(100);
        t.ok((await probe(served)) < PROBED, 'a probe is answered meanwhile');
        return asked;
      };
      for (let round = 0; round < ROUNDS; round++) {
        const one = tallyOf(await askAll(() => '/a'));
        t.strictSame(one, { 200: AT_ONCE }, 'those of one upstream wait for a connection');
        const most = upstreams[0]?.most() ?? 0;
        t.ok(most <= ROOM && most >= ROOM / 2, `${most} connections`);
        const all = tallyOf(await askAll((index) => `/${UPSTREAMS[index % UPSTREAMS.length]}`));
        const { 200: good = 0, '503 1': told = 0, ...other } = all;
        t.strictSame(other, {}, 'of several upstreams: an answer, or when to come again');
        t.ok(good >= ROOM / 2 && good + told === AT_ONCE, JSON.stringify(all));
        for (const letter of UPSTREAMS) {
          const isServed = async () => (await askMany(t, served.port, [`/${letter}`]))[0] === '200';
          await recovers(t, `/${letter}: well again`, isServed, RECOVERY);
        }
      }
      t.equal(served.child.exitCode, null, 'it lives');
    },
  );
}

t.test('no free descriptor: 503, with every engine; closing kept connections frees some', { skip }, async (t) => {
  let free = () => {};
  const held = new Promise<void>((done) => {
    free = done;
  });
  const full = await witness(t);
  full.behave((_request, response) => void held.then(() => response.end('ok')));
  const other = await witness(t);
  const h2 = await http2Upstream(t);
  // One client may use all connections, because its share would end before the descriptors do.
  const text = `log: { level: warn, format: json }
limits: { share: 1 }
upstreams:
  full: { url: "${full.url}" }
  undici: { url: "${other.url}", engine: undici }
  own: { url: "${other.url}", engine: own }
  http2: { url: "${h2.url}", http2: true }
routes:
${['full', 'undici', 'own', 'http2'].map((name) => `  - { match: { path: /${name} }, access: public, upstream: ${name} }\n`).join('')}`;
  const served = await program(t, 'gateway', () => text, { wrapper, listen: { tls, http2: true } });
  const session = await http2Client(t, served.port);
  const all = Promise.all(Array.from({ length: AT_ONCE / 2 }, () => askHttp2(session, { ':path': '/full' })));
  t.ok(await until(() => full.connections.size === ROOM));
  for (const name of ['undici', 'own', 'http2']) {
    const { status, body, header } = await askHttp2(session, { ':path': `/${name}` });
    t.match(JSON.parse(String(body)), { code: 'upstream_saturated' }, name);
    t.strictSame([status, header('retry-after')], [503, '1'], name);
  }
  t.ok((await probe(served)) < PROBED, 'a probe is answered');
  t.equal(full.connections.size, ROOM, 'no connection in use is closed');
  free();
  t.ok((await all).every(({ status, whole }) => status === 200 && whole));
  for (const name of ['undici', 'own', 'http2']) {
    t.equal((await askHttp2(session, { ':path': `/${name}` })).status, 200, name);
  }
  t.ok(await until(() => full.connections.size === ROOM - 3), 'for each of them one was closed that was kept');
});
