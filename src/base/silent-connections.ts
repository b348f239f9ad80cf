import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface SilentConnections {
  /** How many connections there are, silent or not. */
  readonly open: number;
  end(): void;
}

/**
 * Ends, on demand, every connection on which nothing came yet. Node.js takes such a one for busy, so that it would hold a
 * stop until the time for its first head is over. Connections are looked at as they open and close, requests never.
 */
export function trackSilent(server: Server): SilentConnections {
  const open = new Set<Socket>();
  let ended = false;
  const track = (socket: Socket) => {
    if (ended) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  server.on('connection', track);
  // Over TLS the inner one is silent though the outer one has shaken hands.
  server.on('secureConnection', track);
  return {
    get open() {
      return open.size;
    },
    end() {
      ended = true;
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
