import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import type { TokenAnswer } from '../authorization/grant-flow.ts';
import { basic, passwordHash, requests } from '../authorization/running-service.ts';
import { ready, type ServiceProcess, spawnService, writeConfig } from '../authorization/service-process.ts';
import { freePort } from '../support/free-port.ts';
import { behind } from '../support/gateway.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Address, type Asked, askAt, followed, isInStep } from './revoked.ts';

/** Of the gateways. */
export const edge = { id: 'edge', secret: 'cs_edge-secret-of-32-bytes-or-more' };
/** A client that gets JWTs for a user's password. */
export const phone = { id: 'phone', secret: 'cs_phone-secret-of-32-bytes-or-so' };

const encryptionKeys = [randomBytes(32).toString('base64')];

/** In addition to the clients of the file. */
function settings(users: readonly string[]): string {
  return `
  - { client_id: ${edge.id}, client_secret: ${edge.secret}, grant_types: [], introspect: true, events: true }
  - { client_id: ${phone.id}, client_secret: ${phone.secret}, scope: orders.read, grant_types: [password, refresh_token], access_token_format: jwt }
users: [${users.map((name) => `{ username: ${name}, password_argon2: '${passwordHash(name)}' }`).join(', ')}]
signing: { user_keys: true }
encryption_keys: ['${encryptionKeys[0]}']
`;
}

/** `gatehouse authorization` in a separate process, which starts again at its address after it was killed. */
export interface FleetService extends ReturnType<typeof requests> {
  readonly url: string;
  readonly configFile: string;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** A new JWT of this user, for their password. */
  jwt(user: string): Promise<string>;
}

export async function serviceProcess(t: Test, storage: string, users: readonly string[]): Promise<FleetService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const listen = `127.0.0.1:${port}`;
  const configFile = writeConfig(temporaryFolder(t), { listen, storage, extra: settings(users) });
  let running: ServiceProcess | undefined;
  const start = async () => {
    running = spawnService(t, configFile);
    await ready(running);
  };
  await start();
  const asks = requests(url);
  return {
    ...asks,
    url,
    configFile,
    start,
    async kill() {
      running?.child.kill('SIGKILL');
      await running?.ended;
    },
    async jwt(user) {
      const form = { grant_type: 'password', username: user, password: user };
      const answer = await asks.post('/oauth2/token', form, basic(phone));
      const { access_token, ...rest } = (await answer.json()) as TokenAnswer;
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(rest)}`);
      return access_token;
    },
  };
}

/** The store itself, for changes beside the processes. */
export async function storeOf(t: Test, storage: string): Promise<Records> {
  const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys });
  t.teardown(() => records.close());
  return records;
}

export interface FleetGateway extends Asked {
  readonly process: GatewayProcess;
  readonly port: number;
}

const routes = [
  { id: 'live', match: { path: '/live/{rest*}' }, scope: 'orders.read', end_with: 'token' },
  { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
];

/** `gatehouse gateway` in a separate process that follows this service, and is up to date. */
export async function gatewayProcess(
  t: Test,
  {
    upstream,
    service,
    changes = {},
    env = {},
  }: { upstream: Address; service: Address; changes?: object; env?: Record<string, string> },
): Promise<FleetGateway> {
  const admin = `127.0.0.1:${await freePort()}`;
  const servers = followed(service, { client_id: edge.id, client_secret: edge.secret, ...changes });
  const file = { authorization_servers: servers, admin, development: true, routes };
  const process = await startProcess({ config: behind(upstream.url, file), env });
  t.teardown(() => process.stop());
  const gateway = { process, port: process.port, ...askAt({ port: process.port, adminUrl: `http://${admin}` }) };
  if (!(await isInStep(gateway))) throw new Error(`the gateway is not in step: ${process.output()}`);
  return gateway;
}

export interface LiveUpstream extends Address {
  /** A frame on every open WebSocket, an event on every open event stream. */
  hello(): void;
}

/** Text, not masked, of five bytes. */
export const helloFrame = Buffer.from('\x81\x05hello', 'latin1');

/** Answers every request. Below `/live`, it answers with an event stream or a WebSocket that stays open. */
export async function liveUpstream(t: Test): Promise<LiveUpstream> {
  const streams = new Set<ServerResponse>();
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/live')) return void response.end('ok');
    streams.add(response);
    response.on('close', () => streams.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: open\n\n');
  });
  server.on('upgrade', (_request, socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hello() {
      for (const stream of streams) stream.write('data: hello\n\n');
      for (const socket of sockets) socket.write(helloFrame);
    },
  };
}
