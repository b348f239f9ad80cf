import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** Identifies a request of the oracle to the upstream. */
export const CASE = 'X-Case';

export interface Recorder {
  readonly url: string;
  /** The head of the request with this name as it arrived, which is then forgotten; undefined: it did not arrive. */
  take(name: string): string | undefined;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
/** Fields that differ from request to request, or that are not the client's. */
const OURS =
  /^(?:x-case|x-request-id|traceparent|tracestate|x-auth-[a-z]+|x-forwarded-[a-z]+|forwarded|authorization):/i;

/** An upstream that keeps the exact octets of each head. Requests have no body. */
export async function recorder(t: Test): Promise<Recorder> {
  const heads = new Map<string, string>();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.setEncoding('latin1');
    let unread = '';
    socket.on('data', (text: string) => {
      const parts = (unread + text).split('\r\n\r\n');
      unread = parts.pop() ?? '';
      for (const head of parts) note(heads, head);
      socket.write(ANSWER.repeat(parts.length));
    });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const take = (name: string) => {
    const head = heads.get(name);
    heads.delete(name);
    return head;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, take };
}

function note(heads: Map<string, string>, head: string): void {
  const lines = head.split('\r\n');
  const [, name] = /\r\nx-case: ([^\r\n]*)/i.exec(head) ?? [];
  if (name !== undefined) heads.set(name, lines.filter((line) => !OURS.test(line)).join('\r\n'));
}
