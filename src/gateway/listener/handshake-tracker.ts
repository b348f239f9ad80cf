import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Connections in their TLS handshake. A handshake checks certificates against the authorities at its beginning. If an
 * authority is removed, these clients must begin again.
 */
export class HandshakeTracker {
  readonly #sockets = new Map<string, Socket>();

  watch(server: Server): void {
    server.prependListener('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#sockets.set(name, socket);
      socket.once('close', () => this.#forget(name, socket));
    });
    server.prependListener('secureConnection', (socket: TLSSocket) => this.#sockets.delete(nameOf(socket)));
  }

  #forget(name: string, socket: Socket): void {
    if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
  }

  end(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

/** A TLS socket does not name its TCP connection. No two connections have the same remote end at one time. */
function nameOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
