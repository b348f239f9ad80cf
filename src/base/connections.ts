import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** The number of open connections. */
  readonly open: number;
  /** From now on, every answer is the last of its connection, and announces this. */
  lastAnswers(): void;
  /** From now on, every connection ends after its pending answer. A connection without one ends at once. */
  drain(): void;
}

/**
 * After `close()`, Node.js leaves an idle connection open until its timeout, even one that never sent a request. This ends such
 * connections, so that a stop takes only as long as the requests in flight.
 */
export function trackConnections(server: Server): Connections {
  const answering = new Map<Socket, Set<ServerResponse>>();
  let isLast = false;
  let isDraining = false;
  const lastAnswers = () => {
    isLast = true;
    for (const responses of answering.values()) for (const response of responses) response.shouldKeepAlive = false;
  };

  server.on('connection', (socket: Socket) => {
    if (isDraining) return void socket.destroy();
    answering.set(socket, new Set());
    socket.once('close', () => answering.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = answering.get(socket);
    if (responses === undefined) return;
    responses.add(response);
    if (isLast) response.shouldKeepAlive = false;
    response.once('close', () => {
      responses.delete(response);
      if (isDraining) endIfIdle(socket, responses);
    });
  });

  return {
    get open() {
      return answering.size;
    },
    lastAnswers,
    drain() {
      isDraining = true;
      lastAnswers();
      for (const [socket, responses] of answering) endIfIdle(socket, responses);
    },
  };
}

function endIfIdle(socket: Socket, responses: ReadonlySet<ServerResponse>): void {
  if (responses.size === 0) socket.destroySoon();
}
