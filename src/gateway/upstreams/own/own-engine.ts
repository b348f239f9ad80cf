import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Lines } from '../../message/lines.ts';
import { addressOf } from '../address-of.ts';
import { type BudgetHolder, type ConnectionBudget, ConnectionBudgetFull } from '../connection-budget.ts';
import { connector } from '../connector.ts';
import type { EngineOptions, ForwardEngine } from '../engine.ts';
import type { AnswerHandler } from './answer-handler.ts';
import { type Keeper, type OutgoingRequest, UpstreamConnection } from './connection.ts';
import type { ForeignAnswer } from './invalid-answer.ts';
import { pieceConnector } from './piece-socket.ts';

/**
 * Milliseconds for which the gateway keeps a free connection if the upstream does not say. Most upstreams keep it for
 * five seconds.
 */
const KEPT = 4_000;
/**
 * Milliseconds: the longest time, whatever the upstream says, and the margin before the upstream's own timeout. The
 * margin covers a request in transit.
 */
const LONGEST_KEPT = 600_000;
const EARLIER = 1_000;
/** Milliseconds between checks for connections that have been free for too long. */
const SWEEP = 500;

interface Free {
  readonly connection: UpstreamConnection;
  readonly until: number;
}

class Closed extends Error {
  readonly code = 'UND_ERR_CLOSED';
}

/**
 * HTTP/1.1 by the gateway's own client: one request at a time on a kept connection, and a new connection if none is
 * free.
 */
export function openOwn(
  options: EngineOptions,
  connect = connectorFor(options),
  misread: (answer: ForeignAnswer) => void = nothing,
): ForwardEngine {
  return new OwnEngine(options, connect, misread);
}

export function connectorFor(options: EngineOptions): ReturnType<typeof connector> {
  return options.url.protocol === 'http:' ? connector(options, pieceConnector()) : connector(options);
}

class OwnEngine implements ForwardEngine, Keeper, BudgetHolder {
  readonly tellsWaits = true;
  readonly keepAlive: boolean;
  readonly misread: Keeper['misread'];
  readonly #connect: ReturnType<typeof connector>;
  readonly #to: Parameters<ReturnType<typeof connector>>[0];
  readonly #most: number;
  readonly #open = new Set<UpstreamConnection>();
  /** The most recently used connection is used next, so that unneeded ones end. */
  readonly #free: Free[] = [];
  readonly #waiting: OutgoingRequest[] = [];
  readonly #room: ConnectionBudget | undefined;
  readonly #leaveRoom: (() => void) | undefined;
  /** How many connections have ever begun to open, and how many are opening now. */
  readonly #dials = { begun: 0, opening: 0 };
  #turn: NodeJS.Immediate | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: EngineOptions, connect: ReturnType<typeof connector>, misread: Keeper['misread']) {
    this.misread = misread;
    this.#connect = connect;
    this.#to = { ...addressOf(options.url) };
    this.#most = options.connections;
    this.keepAlive = options.keepAlive;
    this.#room = options.room;
    this.#leaveRoom = options.room?.join(this);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const sent = sentOf(options, handler, this.#dials.begun);
    if (this.#closed) {
      sent.handler.onError(new Closed('the gateway closed its connections to the upstream'));
      return;
    }
    this.#waiting.push(sent);
    sent.handler.onQueued?.(() => this.#withdraw(sent));
    if (this.#free.length > 0) this.#serveSoon();
    this.#openForWaiting();
  }

  async destroy(): Promise<void> {
    this.#closed = true;
    this.#leaveRoom?.();
    clearInterval(this.#sweep);
    for (const { handler } of this.#waiting.splice(0))
      handler.onError(new Closed('the gateway closed its connections to the upstream'));
    for (const connection of this.#open) connection.destroy();
  }

  free(connection: UpstreamConnection, seconds: number | undefined): void {
    const kept = seconds === undefined ? KEPT : Math.min(seconds * 1000 - EARLIER, LONGEST_KEPT);
    if (kept <= 0 || this.#closed) {
      connection.destroy();
      return;
    }
    this.#free.push({ connection, until: performance.now() + kept });
    this.#sweep ??= setInterval(() => this.#endFree(), SWEEP).unref();
    if (this.#waiting.length > 0) this.#serveSoon();
  }

  roomCame(): void {
    this.#openForWaiting();
  }

  /** Closes an open connection that no request waits for. */
  letGo(): boolean {
    while (this.#free.length > this.#waiting.length) {
      const { connection } = this.#free.shift() as Free;
      if (!connection.isUsable) continue;
      connection.destroy();
      return true;
    }
    return false;
  }

  gone(connection: UpstreamConnection): void {
    this.#open.delete(connection);
    this.#openForWaiting();
  }

  #withdraw(sent: OutgoingRequest): void {
    const place = this.#waiting.indexOf(sent);
    if (place < 0) return;
    this.#waiting.splice(place, 1);
    if (sent.body instanceof Readable) sent.body.destroy();
  }

  /**
   * The event loop first reads bytes on the idle connection. Unrequested bytes would look like the answer to a later
   * request (RFC 9112 §9.2). A close would look like a lost request.
   */
  #serveSoon(): void {
    this.#turn ??= setImmediate(this.#serve);
  }

  readonly #serve = (): void => {
    this.#turn = undefined;
    const now = performance.now();
    while (this.#waiting.length > 0) {
      const last = this.#free.pop();
      if (last === undefined) break;
      const { connection, until } = last;
      if (until <= now) connection.destroy();
      else if (connection.isUsable && !this.#sendNext(connection)) this.#free.push(last);
    }
    this.#openForWaiting();
  };

  /** False: no request is waiting. */
  #sendNext(connection: UpstreamConnection): boolean {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (connection.send(next)) return true;
    }
    return false;
  }

  /** Opens one connection for each waiting request without a free one, up to the limit. */
  #openForWaiting(): void {
    while (!this.#closed && this.#lacking() > 0 && this.#open.size + this.#dials.opening < this.#most) {
      this.#dials.opening++;
      const number = ++this.#dials.begun;
      this.#connect(this.#to, (error, socket) => {
        this.#dials.opening--;
        if (error === null) this.#opened(socket);
        else this.#failed(error, number);
      });
    }
  }

  #lacking(): number {
    return this.#waiting.length - this.#free.length - this.#dials.opening;
  }

  #opened(socket: Socket): void {
    if (this.#closed) {
      socket.destroy();
      return;
    }
    const connection = new UpstreamConnection(socket, this);
    this.#open.add(connection);
    if (!this.#sendNext(connection)) this.free(connection, undefined);
  }

  /**
   * No connection opened for the request that has waited longest. If only the budget is full, it waits for room or for
   * one of its own connections. If an attempt began before all waiting requests arrived, its own request has left. So
   * it says nothing about the present.
   */
  #failed(error: Error, number: number): void {
    if (error instanceof ConnectionBudgetFull && this.#open.size + this.#dials.opening > 0) {
      this.#room?.awaitRoom(this);
      return;
    }
    const [first] = this.#waiting;
    if (first !== undefined && first.dialledBefore < number) {
      this.#waiting.shift();
      first.handler.onError(error);
    }
    this.#openForWaiting();
  }

  #endFree(): void {
    const now = performance.now();
    for (const free of this.#free.splice(0)) {
      if (free.until <= now || !free.connection.isUsable) free.connection.destroy();
      else {
        free.connection.idle();
        this.#free.push(free);
      }
    }
    if (this.#free.length > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

/** undici types the buffers of the raw handler as strings, and allows more kinds of bodies than the gateway sends. */
function sentOf(
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  dialledBefore: number,
): OutgoingRequest {
  const { method, path, headers, body, upgrade, headersTimeout, bodyTimeout } = options;
  // A body may fail while its request waits. The connection checks this later.
  if (body instanceof Readable) body.on('error', nothing);
  return {
    method,
    path,
    fields: headers as readonly string[],
    known: (options as { readonly lines?: Lines }).lines,
    body: (body ?? null) as OutgoingRequest['body'],
    upgrade: typeof upgrade === 'string' ? upgrade : undefined,
    headersTimeout: headersTimeout ?? 0,
    bodyTimeout: bodyTimeout ?? 0,
    handler: handler as unknown as AnswerHandler,
    dialledBefore,
  };
}

function nothing(): void {}
