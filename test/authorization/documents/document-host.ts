import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Test } from 'tap';
import type { AuthorizationConfig } from '../../../src/config/schema/authorization.ts';
import { tlsFile } from '../../support/tls-file.ts';
import { authorizePath, type FrontService, runFront } from '../browser/walk.ts';
import { type Changes, configuration, type RunOptions } from '../running-service.ts';

export interface Served {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the content of the document, as JSON. */
  readonly body?: string | Uint8Array;
  /** Answers by itself. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface DocumentHost {
  /** `https://localhost:PORT` */
  readonly url: string;
  /** The paths that were requested, in order. */
  readonly asked: string[];
  readonly connections: () => number;
  serve(path: string, served: Served | ((id: string) => Served)): string;
  /** Serves a valid document with these members. Returns the client id. */
  publish(path: string, changes?: object, headers?: Readonly<Record<string, string>>): string;
}

export const redirectUri = 'https://app.example.com/callback';

export function documentFor(id: string, changes: object = {}): object {
  return {
    client_id: id,
    client_name: 'Order Agent',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...changes,
  };
}

/** A web server of a client, over TLS with a certificate of the test authority. */
export async function documentHost(t: Test): Promise<DocumentHost> {
  const asked: string[] = [];
  const served = new Map<string, Served | ((id: string) => Served)>();
  let connections = 0;
  const tls = { cert: readFileSync(tlsFile('server.crt')), key: readFileSync(tlsFile('server.key')) };
  const server = createServer(tls, (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const found = served.get(path) ?? { status: 404, body: 'nothing' };
    const { status = 200, headers, body, answer } = typeof found === 'function' ? found(url + path) : found;
    if (answer !== undefined) return answer(request, response);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    return response.end(body ?? JSON.stringify(documentFor(url + path)));
  });
  server.on('connection', (_socket: Socket) => {
    connections++;
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const serve = (path: string, what: Served | ((id: string) => Served)) => {
    served.set(path, what);
    return url + path;
  };
  return {
    url,
    asked,
    connections: () => connections,
    serve,
    publish: (path, changes, headers = {}) =>
      serve(path, { headers, body: JSON.stringify(documentFor(url + path, changes)) }),
  };
}

type Documents = AuthorizationConfig['registration']['cimd'];

export interface DocumentOptions extends Omit<RunOptions, 'config'> {
  readonly cimd?: Partial<Documents>;
  readonly outbound?: Partial<AuthorizationConfig['outbound']>;
  readonly config?: Changes;
}

/** The service with metadata documents, which it may read on this machine. */
export function runWithDocuments(
  t: Test,
  { cimd, outbound, config, ...options }: DocumentOptions = {},
): Promise<FrontService> {
  const before = configuration();
  return runFront(t, {
    ...options,
    config: {
      outbound: {
        ...before.outbound,
        private_addresses: ['127.0.0.0/8', '::1'],
        tls: { ca: tlsFile('authority.crt') },
        ...outbound,
      },
      registration: {
        ...before.registration,
        cimd: {
          ...before.registration.cimd,
          enabled: true,
          scope: 'orders.read orders.write',
          private_addresses: 'outbound',
          ...cimd,
        },
      },
      ...config,
    },
  });
}

/** A valid authorization request of the client. */
export function asksFor(id: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  return authorizePath({ client_id: id, redirect_uri: redirectUri, ...changes });
}
