import { readFileSync } from 'node:fs';
import type { SecureServerOptions } from 'node:http2';
import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export interface Http2Seen {
  readonly headers: IncomingHttpHeaders;
  readonly raw: readonly string[];
  readonly body: Buffer;
}

export interface Http2Upstream {
  readonly url: string;
  readonly seen: Http2Seen[];
  readonly sessions: Set<ServerHttp2Session>;
  /** Sessions that were ever opened. */
  readonly opened: () => number;
}

export type Http2Script = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

const vector = (name: string) => readFileSync(new URL(`../vectors/tls/${name}`, import.meta.url));

/** A real HTTP/2 server: over TLS if it has options for it, otherwise directly over TCP. Closed after the test. */
export async function http2Upstream(
  t: Test,
  script: Http2Script = echo,
  tls?: SecureServerOptions,
): Promise<Http2Upstream> {
  const seen: Http2Seen[] = [];
  const sessions = new Set<ServerHttp2Session>();
  let opened = 0;
  const server =
    tls === undefined
      ? createServer()
      : createSecureServer({ cert: vector('server.crt'), key: vector('server.key'), ...tls });
  server.on('session', (session) => {
    opened++;
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
  });
  server.on('sessionError', () => {});
  const onStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => seen.push({ headers, raw, body: Buffer.concat(chunks) }));
    script(stream, headers);
  };
  server.on('stream', onStream as Http2Script);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    for (const session of sessions) session.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const url = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  return { url, seen, sessions, opened: () => opened };
}

function echo(stream: ServerHttp2Stream): void {
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'text/plain' });
    stream.end('ok');
  });
}
