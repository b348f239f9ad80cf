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
  readonly calls: readonly SiteCall[];
  /** All calls of a path. */
  at(path: string): readonly SiteCall[];
}

export const paths = {
  callback: '/callback',
  afterLogout: '/post_logout_redirect',
  logoutToken: '/backchannel_logout',
};

export async function clientSite(t: Test): Promise<ClientSite> {
  const port = await freePort();
  const url = `https://localhost:${port}`;
  const calls: SiteCall[] = [];
  await tlsServer(t, port, async (incoming, outgoing) => {
    const { method = '', headers } = incoming;
    const body = await text(incoming);
    calls.push({ method, url: new URL(incoming.url ?? '', url), type: headers['content-type'] ?? '', body });
    outgoing.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('received');
  });
  return { url, calls, at: (path) => calls.filter((call) => call.url.pathname === path) };
}
