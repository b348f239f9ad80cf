// What a request costs the gateway of one tree, its JavaScript alone: `child.ts ROOT TARGET REQUESTS`. Prints µs.
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Writable } from 'node:stream';
import { StubClient, stubConnections } from './stub-sockets.ts';

const [root = '', target = '/r7/orders/42', requests = '100000'] = process.argv.slice(2);
const CLIENTS = 16;
const SECRET = 'a secret of thirty-two bytes or more';

let server: http.Server | undefined;
const { createServer } = http;
http.createServer = ((...given: Parameters<typeof createServer>) => {
  server ??= createServer(...given);
  return server;
}) as typeof createServer;
syncBuiltinESMExports();

const from = (path: string) => import(`${root}/src/${path}`);
const [{ loadGatewayText }, { startGateway }, { buildLog }, { systemClock }] = await Promise.all([
  from('config/load/load.ts'),
  from('gateway/lifecycle/start.ts'),
  from('base/log.ts'),
  from('base/clock.ts'),
]);

const routes = Array.from(
  { length: 20 },
  (_, index) => `  - { match: { path: "/r${index}/{rest*}" }, scope: orders.read }`,
);
const text = `version: 1
listen: 127.0.0.1:0
listener: node
authorization_servers:
  main: { issuer: https://auth.example.com, algorithms: [HS256], secret: "${SECRET}", audience: https://api.example.com }
upstreams: { api: { url: http://127.0.0.1:1, engine: own } }
defaults: { upstream: api }
routes:
${routes.join('\n')}
`;
const loaded = loadGatewayText(text, { file: 'gateway.yaml', env: {} });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
const { config, directory, locate } = loaded;
const log = buildLog({ level: 'warn', format: 'json' }, sink);
const running = await startGateway({ config, directory, locate, clock: systemClock, log });
stubConnections();

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = Math.floor(Date.now() / 1000);
const claims = { iss: 'https://auth.example.com', aud: 'https://api.example.com', sub: 'alice', client_id: 'shop' };
const signed = `${part({ alg: 'HS256', typ: 'at+jwt' })}.${part({ ...claims, iat: now, exp: now + 3600, scope: 'orders.read' })}`;
const token = `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
const request = Buffer.from(
  `GET ${target} HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: cost/1\r\nAccept: */*\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'latin1',
);

/** CPU microseconds of one request. */
async function measure(count: number): Promise<number> {
  const before = process.cpuUsage();
  let left = count;
  await new Promise<void>((done, failed) => {
    const answered = (answer: string) => {
      if (!answer.startsWith('HTTP/1.1 200')) failed(new Error(answer));
      if (--left === 0) done();
      return left >= CLIENTS;
    };
    for (let client = 0; client < CLIENTS; client++) {
      const socket = new StubClient(request, answered);
      server?.emit('connection', socket);
      socket.begin();
    }
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

await measure(Number(requests) / 2);
process.stdout.write(`${await measure(Number(requests))}\n`);
void running;
process.exit(0);
