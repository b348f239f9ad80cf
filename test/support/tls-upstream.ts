import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { Test } from 'tap';

export interface TlsUpstream {
  /** By the name of its certificate. */
  readonly url: string;
  /** The names that clients sent with SNI. */
  readonly names: string[];
  readonly connections: () => number;
  readonly requests: () => number;
}

const vector = (name: string) => readFileSync(new URL(`../vectors/tls/${name}`, import.meta.url));

/** An upstream over TLS with the certificate of the test authority. Closed after the test. */
export async function tlsUpstream(t: Test, options: TlsOptions = {}): Promise<TlsUpstream> {
  const names: string[] = [];
  let connections = 0;
  let requests = 0;
  const files = { cert: vector('server.crt'), key: vector('server.key'), ca: vector('authority.crt') };
  const server = createServer({ ...files, ...options }, (_request, response) => {
    requests++;
    response.end('ok');
  });
  server.on('secureConnection', (socket: TLSSocket & { servername?: string | false }) => {
    connections++;
    if (typeof socket.servername === 'string') names.push(socket.servername);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening) => server.listen(0, '0.0.0.0', listening));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}`, names, connections: () => connections, requests: () => requests };
}
