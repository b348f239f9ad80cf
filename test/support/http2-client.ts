import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { connect as connectTls } from 'node:tls';
import type { Test } from 'tap';
import { tlsFile } from './tls-file.ts';
import { within } from './until.ts';

/** An HTTP/2 listener of a gateway, on any free port. */
export function http2Listen(more: object = {}): object {
  const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
  return { listen: { host: '127.0.0.1', port: 0, tls, http2: true, ...more } };
}

/** An HTTP/2 answer as received. */
export interface Http2Answer {
  readonly status: number | undefined;
  /** Name, value; without pseudo-headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly trailers: readonly (readonly [name: string, value: string])[] | undefined;
  /** Statuses of interim answers. */
  readonly interim: readonly number[];
  /** Whether the frame that ends the answer arrived. */
  readonly whole: boolean;
  /** The code of RST_STREAM; 0 without one. */
  readonly reset: number;
  header(name: string): string | undefined;
}

/** A session with a gateway on this port, whose certificate the test authority signed. Closed after the test. */
export async function http2Client(
  t: Test,
  port: number,
  { localAddress, cert, key, ...options }: SecureClientSessionOptions & { readonly localAddress?: string } = {},
): Promise<ClientHttp2Session> {
  const session = connect('https://localhost', {
    createConnection: () =>
      connectTls({
        port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: readFileSync(tlsFile('authority.crt')),
        ALPNProtocols: ['h2'],
        ...(cert !== undefined && { cert, key }),
        ...(localAddress !== undefined && { localAddress }),
      }),
    ...options,
  });
  session.on('error', () => {});
  t.teardown(() => session.destroy());
  await within(new Promise((done) => session.once('connect', done).once('close', done)), 20_000, 'a session');
  return session;
}

export interface Http2Question extends OutgoingHttpHeaders {
  ':path'?: string;
}

/** Sends a request, and waits for the end of its stream. */
export function askHttp2(
  session: ClientHttp2Session,
  headers: Http2Question,
  body?: string | Buffer,
): Promise<Http2Answer> {
  const stream = session.request({ ':authority': 'api.example.com', ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
  return answerOf(stream);
}

export async function answerOf(stream: ClientHttp2Stream, deadline = 20_000): Promise<Http2Answer> {
  const chunks: Buffer[] = [];
  const interim: number[] = [];
  const got: { status?: number; raw: string[]; trailers?: string[]; whole: boolean } = { raw: [], whole: false };
  stream.on('error', () => {});
  stream.on('headers', (headers) => interim.push(Number(headers[':status'])));
  stream.on('response', ((headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
    Object.assign(got, { status: Number(headers[':status']), raw });
  }) as (headers: IncomingHttpHeaders) => void);
  stream.on('trailers', (_headers, _flags, raw) => {
    got.trailers = raw;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    got.whole = !stream.aborted && stream.rstCode === 0;
  });
  await within(new Promise((done) => stream.once('close', done)), deadline, 'an answer');
  const headers = pairs(got.raw).filter(([name]) => !name.startsWith(':'));
  return {
    status: got.status,
    headers,
    body: Buffer.concat(chunks),
    trailers: got.trailers && pairs(got.trailers),
    interim,
    whole: got.whole,
    reset: stream.rstCode,
    header: (name) => headers.find(([each]) => each === name)?.[1],
  };
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] as string] as const] : []));
}
