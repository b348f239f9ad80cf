import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface SilentConnections {
  /** The number of connections, silent or not. */
  readonly open: number;
  end(): void;
}

/**
 * Ends every connection that has not sent any bytes yet. Node.js counts such a connection as busy, so the connection
 * would delay a stop until its head timeout. This tracks connections when they open and close, but no requests.
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
  // With TLS, the inner connection may be silent after the handshake of the outer one.
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
