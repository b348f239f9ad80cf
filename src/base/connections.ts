import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** From now on every connection ends with the answer that it waits for; one that waits for none ends at once. */
  drain(): void;
}

/**
 * Node.js leaves a kept connection open after `close()` until its time-out, and one that never sent a request too.
 * So that a stop takes as long as the requests in flight and no longer, we end them ourselves.
 */
export function trackConnections(server: Server): Connections {
  const answering = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;

  server.on('connection', (socket: Socket) => {
    if (isDraining) return void socket.destroy();
    answering.set(socket, new Set());
    socket.once('close', () => answering.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = answering.get(socket);
    if (responses === undefined) return;
    responses.add(response);
    if (isDraining) response.shouldKeepAlive = false;
    response.once('close', () => {
      responses.delete(response);
      if (isDraining) endIfIdle(socket, responses);
    });
  });

  return {
    drain() {
      isDraining = true;
      for (const [socket, responses] of answering) {
        for (const response of responses) response.shouldKeepAlive = false;
        endIfIdle(socket, responses);
      }
    },
  };
}

function endIfIdle(socket: Socket, responses: ReadonlySet<ServerResponse>): void {
  if (responses.size === 0) socket.destroySoon();
}
