import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** One connection to an upstream that handles only bytes. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything received, as latin1. */
  received: string;
  /** Heads received so far. */
  heads: number;
  ended: boolean;
  closed: boolean;
}

export interface RawUpstream {
  readonly url: string;
  readonly port: number;
  readonly connections: RawConnection[];
}

/** Called for every request head that arrived. Only what it writes to the socket is sent to the gateway. */
export type Script = (connection: RawConnection, upstream: RawUpstream) => void;

/** An upstream without an HTTP library, for answers that no library would send. */
export async function rawUpstream(t: Test, script: Script): Promise<RawUpstream> {
  const connections: RawConnection[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    const connection: RawConnection = { socket, received: '', heads: 0, ended: false, closed: false };
    connections.push(connection);
    socket.on('data', (chunk: Buffer) => receive(connection, chunk, () => script(connection, upstream)));
    socket.on('end', () => {
      connection.ended = true;
    });
    socket.on('close', () => {
      connection.closed = true;
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const upstream = { url: `http://127.0.0.1:${port}`, port, connections };
  t.teardown(() => {
    server.close();
    for (const { socket } of connections) socket.destroy();
  });
  return upstream;
}

/** A body with an empty line would count as a head, so scripts are for requests whose body has none. */
function receive(connection: RawConnection, chunk: Buffer, onHead: () => void): void {
  connection.received += chunk.toString('latin1');
  const heads = connection.received.split('\r\n\r\n').length - 1;
  for (; connection.heads < heads; ) {
    connection.heads++;
    onHead();
  }
}

/** A whole answer as bytes. */
export function answerText(body: string, { status = '200 OK', headers = [] as readonly string[] } = {}): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body, 'latin1')}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}
