import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A small HTTP server of the authorization side, which can be made to misbehave. */
export interface Endpoint {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Answers every call instead, until `recover`. */
  misbehave(fault: Handler): void;
  recover(): void;
  /** Nothing listens any more, and connections break. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export interface Call {
  readonly authorization: string | undefined;
  readonly body: string;
}

export async function endpoint(t: Test, handler: Handler): Promise<Endpoint> {
  const calls: Call[] = [];
  let fault: Handler | undefined;
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      calls.push({ authorization: request.headers.authorization, body });
      (fault ?? handler)(request, response, body);
    });
  });
  // A port that is free for it again after an outage.
  const port = await freePort();
  await listen(server, port);
  t.teardown(() => close(server));
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    misbehave(next) {
      fault = next;
    },
    recover() {
      fault = undefined;
    },
    down: () => close(server),
    up: () => listen(server, port),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((listening) => server.listen(port, '127.0.0.1', listening));
}

function close(server: Server): Promise<void> {
  return new Promise((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });
}

export function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** 64 MiB of zeros in 64 KiB. */
let bombed: Buffer | undefined;
function bomb(): Buffer {
  bombed ??= gzipSync(Buffer.alloc(64 * 1024 * 1024));
  return bombed;
}

/** Ways in which a server is reachable but sends nothing that can be trusted. */
export const babbling: Readonly<Record<string, Handler>> = {
  'HTML with status 200': (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>ok</html>'),
  'an empty body': (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  null: (_request, response) => json(response, null),
  'a list': (_request, response) => json(response, []),
  'a string': (_request, response) => json(response, 'active'),
  'active as a string': (_request, response) => json(response, { active: 'true', scope: 'orders.read admin' }),
  'active as a number': (_request, response) => json(response, { active: 1, scope: 'orders.read admin' }),
  'no member active': (_request, response) => json(response, { scope: 'orders.read admin' }),
  'JSON cut short': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":true,"sco'),
  'a body cut short': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"active":true}');
    response.socket?.destroySoon();
  },
  'status 500': (_request, response) =>
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"active":true}'),
  'status 401, for the gateway itself': (_request, response) => response.writeHead(401).end(),
  'status 302': (_request, response) => response.writeHead(302, { location: '/' }).end(),
  'status 204': (_request, response) => response.writeHead(204).end(),
  'two megabytes': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"active":true,"scope":"orders.read","x":"${'x'.repeat(2 * 1024 * 1024)}"}`),
  'many content codings': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip, gzip, gzip, gzip, gzip, gzip' })
      .end('{"active":true}'),
  'ten megabytes without a length': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"active":true,"scope":"orders.read","x":"');
    for (let sent = 0; sent < 10; sent++) response.write('x'.repeat(1024 * 1024));
    response.end('"}');
  },
  'a bomb of gzip': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb()),
  'UTF-16, and says so': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-16le' })
      .end(Buffer.from('{"active":true,"scope":"orders.read"}', 'utf16le')),
  'a charset that is not that of JSON': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json; charset=iso-8859-1' }).end('{"active":true}'),
  'bytes that are not UTF-8': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(Buffer.from('{"active":true,"scope":"orders.read","sub":"\xff"}', 'latin1')),
  'a type that is not JSON': (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('{"active":true,"scope":"orders.read"}'),
  'active twice': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":false,"active":true}'),
  'active as a list': (_request, response) => json(response, { active: [true], scope: 'orders.read admin' }),
  'active in another case': (_request, response) => json(response, { Active: true, scope: 'orders.read admin' }),
  'two documents': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":true}{"active":true}'),
  'a comment in JSON': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":true} // yes'),
  'JSON 100,000 deep': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"active":true,"scope":"orders.read","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  'status 206': (_request, response) =>
    response.writeHead(206, { 'content-type': 'application/json' }).end('{"active":true,"scope":"orders.read"}'),
  'a reset': (_request, response) => response.socket?.resetAndDestroy(),
  'no HTTP': (_request, response) => response.socket?.end('hello, this is not HTTP\r\n\r\n'),
};
