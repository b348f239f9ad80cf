import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** What a client heard at its back channel. */
export interface RelyingParty {
  readonly url: string;
  /** The logout tokens, in the order of their arrival. */
  readonly tokens: string[];
  /** The next statuses; then 200. */
  readonly statuses: number[];
}

/** A client's server for logout tokens, on loopback. */
export async function relyingParty(t: Test, statuses: readonly number[] = []): Promise<RelyingParty> {
  const party = { url: '', tokens: [] as string[], statuses: [...statuses] };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const token = new URLSearchParams(body).get('logout_token');
      if (token !== null) party.tokens.push(token);
      response.writeHead(party.statuses.shift() ?? 200, { 'cache-control': 'no-store' }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  party.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/backchannel`;
  return party;
}

/** A server that never answers. Its requests fail when it is closed. */
export async function silentParty(t: Test): Promise<{ readonly url: string; asked(): number; close(): void }> {
  let asked = 0;
  const server = createServer(() => {
    asked++;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  t.teardown(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/backchannel`, asked: () => asked, close };
}

/** Lets the service reach loopback. */
export const onLoopback = { outbound: { private_addresses: ['127.0.0.0/8'], timeout: 5_000 } };
