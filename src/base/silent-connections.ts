import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface SilentConnections {
  /** How many connections there are, silent or not. */
  readonly open: number;
  end(): void;
}

/**
 * Ends, on demand, every connection without any bytes yet. Node.js counts such a connection as busy, so it would delay a stop
 * until its head timeout. This tracks connections when they open and close, and no requests.
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
