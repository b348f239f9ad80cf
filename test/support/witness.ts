import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Test } from 'tap';

/** A request as the upstream got it. */
export interface Seen {
  readonly method: string;
  /** The raw request-target. */
  readonly target: string;
  /** Name, value, name, value, … as received. */
  readonly rawHeaders: readonly string[];
  /** The connection of the request, numbered from 1. */
  readonly connection: number;
  /** The first 64 KiB of the body. */
  body: Buffer;
  bytes: number;
  /** SHA-256 of the body, hex; known once it is completed. */
  hash: string;
  /** completed: the message arrived whole; aborted: it never will. */
  state: 'open' | 'completed' | 'aborted';
  trailers: readonly string[];
  connectionClosed: boolean;
  all(name: string): readonly string[];
  /** The only value; undefined if there is none. Throws if there are several. */
  header(name: string): string | undefined;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  readonly trailers?: readonly (readonly [string, string])[];
  /** Milliseconds. */
  readonly delay?: number;
}

/** What the upstream does with a request: a fixed answer, or code. Either runs once the request is completed. */
export type Behaviour = Reply | ((request: IncomingMessage, response: ServerResponse, seen: Seen) => void);

export interface Witness {
  readonly url: string;
  readonly port: number;
  readonly seen: Seen[];
  /** Connections that are open now. */
  readonly connections: ReadonlySet<Socket>;
  behave(behaviour: Behaviour): void;
  /** Like `behave`, but the code runs after the head and is responsible for the body. */
  behaveAtHead(behaviour: (request: IncomingMessage, response: ServerResponse, seen: Seen) => void): void;
  forget(): void;
}

interface Connection {
  readonly number: number;
  readonly seen: Seen[];
}

const KEPT = 64 * 1024;

/** An upstream that answers 200 and records everything. */
export async function witness(t: Test, behaviour: Behaviour = {}): Promise<Witness> {
  const seen: Seen[] = [];
  const connections = new Map<Socket, Connection>();
  let count = 0;
  let atHead: Exclude<Behaviour, Reply> | undefined;
  let atEnd = behaviour;
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket) as Connection;
    const record = note(request, connection.number);
    connection.seen.push(record);
    seen.push(record);
    if (atHead !== undefined) atHead(request, response, record);
    else follow(request, record, () => act(atEnd, request, response, record));
  };
  const server = createServer(
    { insecureHTTPParser: true, maxHeaderSize: 1024 * 1024, keepAliveTimeout: 60_000 },
    onRequest,
  );
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => {
    const connection: Connection = { number: ++count, seen: [] };
    connections.set(socket, connection);
    socket.on('close', () => {
      connections.delete(socket);
      connection.seen.forEach(closed);
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    get connections() {
      return new Set(connections.keys());
    },
    behave(next) {
      atHead = undefined;
      atEnd = next;
    },
    behaveAtHead(next) {
      atHead = next;
    },
    forget: () => seen.splice(0),
  };
}

function note(request: IncomingMessage, connection: number): Seen {
  const all = (name: string) => valuesOf(request.rawHeaders, name);
  const record: Seen = {
    method: request.method as string,
    target: request.url as string,
    rawHeaders: request.rawHeaders,
    connection,
    body: Buffer.alloc(0),
    bytes: 0,
    hash: '',
    state: 'open',
    trailers: [],
    connectionClosed: false,
    all,
    header: (name) => only(name, all(name)),
  };
  return record;
}

function closed(record: Seen): void {
  record.connectionClosed = true;
  if (record.state === 'open') record.state = 'aborted';
}

/** Reads the body into the record, then calls `done`. */
export function follow(request: IncomingMessage, record: Seen, done: () => void): void {
  const hash = createHash('sha256');
  request.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    record.bytes += chunk.length;
    if (record.body.length < KEPT)
      record.body = Buffer.concat([record.body, chunk.subarray(0, KEPT - record.body.length)]);
  });
  request.on('end', () => {
    record.state = 'completed';
    record.hash = hash.digest('hex');
    record.trailers = request.rawTrailers;
    done();
  });
  request.on('error', () => {});
}

function act(behaviour: Behaviour, request: IncomingMessage, response: ServerResponse, record: Seen): void {
  if (typeof behaviour === 'function') behaviour(request, response, record);
  // A delay may be longer than its test, and must not keep the process alive after it.
  else setTimeout(() => reply(behaviour, response), behaviour.delay ?? 0).unref();
}

function reply(
  { status = 200, headers = [['content-type', 'text/plain']], body = 'ok', trailers = [] }: Reply,
  response: ServerResponse,
): void {
  const length = Buffer.byteLength(body as string);
  const framed =
    trailers.length > 0 || status === 204 || status === 304
      ? headers
      : [...headers, ['content-length', String(length)]];
  response.writeHead(status, framed.flat());
  if (trailers.length > 0) response.addTrailers(trailers as [string, string][]);
  response.end(body);
}

function valuesOf(raw: readonly string[], name: string): string[] {
  return raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name.toLowerCase());
}

function only(name: string, values: readonly string[]): string | undefined {
  if (values.length > 1) throw new Error(`${name} occurs ${values.length} times: ${values.join(' | ')}`);
  return values[0];
}
