import type { Socket } from 'node:net';
import { type buildConnector, Client, Pool } from 'undici';
import type { BudgetHolder } from './connection-budget.ts';
import { connector } from './connector.ts';
import { type EngineOptions, type ForwardEngine, MAX_HEADER_SIZE } from './engine.ts';

/** HTTP/1.1. */
export function openUndici(options: EngineOptions): ForwardEngine {
  const { url, connections, keepAlive, room } = options;
  const connect = tellingResets(connector(options));
  const clients = new Clients(connect);
  const leaveRoom = room?.join(clients);
  const pool = new Pool(url.origin, {
    connections,
    pipelining: keepAlive ? 1 : 0,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_SIZE,
    connect,
    factory: clients.open,
  });
  return {
    tellsWaits: false,
    dispatch: (request, handler) => pool.dispatch(request, handler),
    destroy() {
      leaveRoom?.();
      return pool.destroy();
    },
  };
}

/** The clients of one pool. Each has one connection at a time. */
class Clients implements BudgetHolder {
  readonly #connect: buildConnector.connector;
  readonly #sockets = new Map<Client, Socket>();

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** A connection that became a tunnel no longer belongs to its client. */
  letGo(): boolean {
    for (const [client, socket] of this.#sockets) {
      const { connected, size } = client.stats;
      if (connected && size === 0 && !socket.destroyed) {
        socket.destroy();
        return true;
      }
    }
    return false;
  }

  readonly open = (origin: URL, options: object): Client => {
    const client: Client = new Client(origin, {
      ...options,
      connect: (to, callback) =>
        this.#connect(to, (...outcome) => {
          if (outcome[0] === null) this.#keep(client, outcome[1]);
          callback(...outcome);
        }),
    });
    return client;
  };

  #keep(client: Client, socket: Socket): void {
    this.#sockets.set(client, socket);
    socket.once('close', () => {
      if (this.#sockets.get(client) === socket) this.#sockets.delete(client);
    });
  }
}

/**
 * A reset gets undici's own error name for a lost connection. Under the system's name, undici would treat a reset as
 * the end of an answer without a length, although the answer is then incomplete (RFC 9112 §8). It would also give up an
 * unsent request. Under its own name, it sends this request over another connection.
 */
function tellingResets(connect: buildConnector.connector): buildConnector.connector {
  return (to, callback) =>
    connect(to, (...outcome) => {
      outcome[1]?.prependListener('error', renameReset);
      callback(...outcome);
    });
}

function renameReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = 'UND_ERR_SOCKET';
}
