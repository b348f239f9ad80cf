import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { freePort } from '../../../support/free-port.ts';
import { tlsServer } from './tls-server.ts';

/** A request that the client's site got. */
export interface SiteCall {
  readonly method: string;
  readonly url: URL;
  readonly type: string;
  readonly body: string;
}

/** The site of the clients, which receives redirects, posted answers and logout tokens. */
export interface ClientSite {
  readonly url: string;
  /** For logout tokens. It has no TLS, because the service trusts only public authorities. */
  readonly backChannel: string;
  readonly calls: readonly SiteCall[];
  /** All calls of a path. */
  at(path: string): readonly SiteCall[];
}

export const paths = {
  callback: '/callback',
  afterLogout: '/post_logout_redirect',
  logoutToken: '/backchannel_logout',
};

/** `altered`: what arrives at the back channel, for a provider with a fault. */
export async function clientSite(t: Test, altered: (body: string) => string | Promise<string>): Promise<ClientSite> {
  const [port, plain] = [await freePort(), await freePort()];
  const url = `https://localhost:${port}`;
  const calls: SiteCall[] = [];
  const receive: RequestListener = async (incoming, outgoing) => {
    const { method = '', headers } = incoming;
    const sent = await text(incoming);
    const body = incoming.url === paths.logoutToken ? await altered(sent) : sent;
    calls.push({ method, url: new URL(incoming.url ?? '', url), type: headers['content-type'] ?? '', body });
    outgoing.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('received');
  };
  await tlsServer(t, port, receive);
  await plainServer(t, plain, receive);
  const backChannel = `http://127.0.0.1:${plain}${paths.logoutToken}`;
  return { url, backChannel, calls, at: (path) => calls.filter((call) => call.url.pathname === path) };
}

async function plainServer(t: Test, port: number, receive: RequestListener): Promise<void> {
  const server = createServer(receive);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
}
