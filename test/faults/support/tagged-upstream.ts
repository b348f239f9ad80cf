import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { type Piece, play } from './played-answer.ts';

/** The part of a request that the upstream reads. */
export interface Tagged {
  readonly method: string;
  readonly target: string;
  /** The value of `X-Tag`. */
  readonly tag: string;
  readonly head: string;
  readonly connection: TaggedConnection;
}

export interface TaggedConnection {
  /** Counted from 1. */
  readonly number: number;
  /** How often it arrived. */
  asked: number;
  closed: boolean;
}

export interface TaggedUpstream {
  readonly url: string;
  readonly connections: number;
}

/** Called at the end of each request head, with what it writes to the connection. */
export type Answering = (request: Tagged) => Iterable<Piece>;

/** An upstream that handles only bytes, and whose memory does not grow with requests. */
export async function taggedUpstream(t: Test, answering: Answering): Promise<TaggedUpstream> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    open.add(socket);
    listen(socket, { number: ++count, asked: 0, closed: false }, answering);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return count;
    },
  };
}

function listen(socket: Socket, connection: TaggedConnection, answering: Answering): void {
  let text = '';
  /** Bytes of a request's body that are still to come. */
  let body = 0;
  let said = Promise.resolve();
  const heads = () => {
    for (;;) {
      const skipped = Math.min(body, text.length);
      text = text.slice(skipped);
      body -= skipped;
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = text.slice(0, end + 2);
      text = text.slice(end + 4);
      body = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      connection.asked++;
      const request = requestOf(head, connection);
      said = said.then(() => play(socket, answering(request)));
    }
  };
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    heads();
  });
  // A gateway that has disconnected.
  socket.on('end', () => socket.destroy());
  socket.on('error', () => {});
  socket.on('close', () => {
    connection.closed = true;
  });
}

function requestOf(head: string, connection: TaggedConnection): Tagged {
  const [method = '', target = ''] = head.split(' ', 2);
  return { method, target, tag: /\r\nx-tag: (\S+)/i.exec(head)?.[1] ?? '', head, connection };
}

/** An answer that names its request, in its head and in its body. */
export function tagged(tag: string, { status = '200 OK', headers = '' } = {}): string {
  const body = `for ${tag}`;
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nx-answer: ${tag}\r\n${headers}\r\n${body}`;
}
