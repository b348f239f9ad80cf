import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Connections whose TLS handshake is under way. Its certificates are judged by the authorities of the moment in which the
 * connection came, so when one is gone these begin again.
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

/** TLS does not say which connection it runs over; no two have the same far end at one time. */
function nameOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
