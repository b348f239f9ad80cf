import type { Test } from 'tap';
import { jwtOf, runWithUserKeys } from '../authorization/user-key-flow.ts';
import { open, type RawClient } from '../support/raw-client.ts';
import type { Script } from '../support/raw-upstream.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { handshake } from '../support/websocket-handshake.ts';
import { type Address, follow } from './revoked.ts';

export const routes = [
  { id: 'ending', match: { path: '/ending/{rest*}' }, scope: 'orders.read', end_with: 'token' },
  { id: 'lasting', match: { path: '/lasting/{rest*}' }, scope: 'orders.read', end_with: 'request' },
  { id: 'shadow', match: { path: '/shadow/{rest*}' }, scope: 'orders.read', end_with: 'token', mode: 'shadow' },
];

const switching =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';
export const accept: Script = ({ socket }) => socket.write(switching);

export async function bench(t: Test, upstream: Address) {
  const service = await runWithUserKeys(t);
  const running = await follow(t, upstream, service, { file: { routes } });
  const [token, other] = [(await jwtOf(service)).access_token, (await jwtOf(service, 'bob')).access_token];
  return { service, running, token, other };
}

export async function ask(
  t: Test,
  port: number,
  target: string,
  token: string,
  more: readonly (readonly [string, string])[] = [],
) {
  const client = await open(t, port);
  client.send(requestText({ target, headers: [bearer(token), ...more] }));
  return client;
}

export async function webSocket(t: Test, port: number, target: string, token: string): Promise<RawClient> {
  const client = await ask(t, port, target, token, handshake);
  const answer = await client.read();
  t.equal(answer?.status, 101);
  return client;
}
