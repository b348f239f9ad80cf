import { Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';
import type { IncomingRequest } from '../../client/incoming-request.ts';
import type { Stalls } from '../../client/stalls.ts';
import { type HeardSocket, hearingBy, type Reads } from './heard-socket.ts';
import { type ConnectionOwner, PlainConnection } from './plain-connection.ts';

/** What our listener needs from the gateway. */
export interface FrontOptions {
  readonly reads: Reads;
  readonly clock: Clock;
  readonly stalls: Stalls;
}

interface Serving extends FrontOptions {
  readonly handle: (arrival: IncomingRequest) => void;
}

type ServeConnection = (socket: Socket) => void;

/**
 * Node's HTTP server with our listener in front of it. Every listener for `connection` gets the socket that is read.
 * Our listener serves requests without content, and small content that arrives with its head. Node's own code serves
 * connections that send anything else.
 */
export class FrontedServer extends Server {
  readonly #hear: (accepted: Socket) => HeardSocket;
  readonly #open = new Set<PlainConnection>();

  constructor(options: ServerOptions, listener: ConstructorParameters<typeof Server>[1], serving: Serving) {
    super(options, listener);
    const [serveByNode, ...others] = this.listeners('connection') as ServeConnection[];
    if (serveByNode === undefined || others.length > 0) throw new Error('the server has another connection listener');
    this.removeAllListeners('connection');
    this.#hear = hearingBy(serving.reads);
    const owner = new Owner(this, serving, { open: this.#open, serveByNode });
    this.on('connection', (socket: Socket) => owner.accept(socket as HeardSocket));
  }

  override emit(event: string, ...told: unknown[]): boolean {
    if (event === 'connection') told[0] = this.#hear(told[0] as Socket);
    return super.emit(event, ...told);
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const connection of this.#open) if (connection.isIdle) connection.socket.destroy();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const { socket } of this.#open) socket.destroy();
  }
}

/** The codes that Node's parser and its timeout check use. */
const FAULTS = { late: 'ERR_HTTP_REQUEST_TIMEOUT', cut: 'HPE_INVALID_EOF_STATE' } as const;

class HeadFault extends Error {
  readonly code: string;

  constructor(code: string) {
    super('the head did not arrive completely');
    this.code = code;
  }
}

/** Reads the settings of Node's server at each use, because a reload changes them. */
class Owner implements ConnectionOwner {
  readonly handle: ConnectionOwner['handle'];
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #stalls: Stalls;
  readonly #open: Set<PlainConnection>;
  readonly #serveByNode: ServeConnection;
  #announced = Number.NaN;
  #lines = '';

  constructor(
    server: Server,
    { handle, clock, stalls }: Serving,
    { open, serveByNode }: { readonly open: Set<PlainConnection>; readonly serveByNode: ServeConnection },
  ) {
    this.handle = handle;
    this.#server = server;
    this.#clock = clock;
    this.#stalls = stalls;
    this.#open = open;
    this.#serveByNode = serveByNode;
  }

  accept(socket: HeardSocket): void {
    const connection = new PlainConnection(socket, this, this.#clock.monotonic());
    this.#open.add(connection);
    this.#stalls.watch(connection);
  }

  closed(connection: PlainConnection): void {
    this.#open.delete(connection);
    this.#stalls.forget(connection);
  }

  get headerSize(): number {
    return (this.#server as Server & { maxHeaderSize: number }).maxHeaderSize;
  }

  get headersTimeout(): number {
    return this.#server.headersTimeout;
  }

  get idle(): number {
    return this.#server.keepAliveTimeout;
  }

  get keepAliveLines(): string {
    const { keepAliveTimeout } = this.#server;
    if (keepAliveTimeout !== this.#announced) {
      this.#announced = keepAliveTimeout;
      const time = keepAliveTimeout > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n` : '';
      this.#lines = `Connection: keep-alive\r\n${time}`;
    }
    return this.#lines;
  }

  handOver(socket: HeardSocket, unread: Buffer): void {
    this.#serveByNode.call(this.#server, socket);
    socket.unshift(unread);
  }

  headFailed(socket: HeardSocket, fault: keyof typeof FAULTS): void {
    socket.on('error', () => socket.destroy());
    this.#server.emit('clientError', new HeadFault(FAULTS[fault]), socket);
  }
}
