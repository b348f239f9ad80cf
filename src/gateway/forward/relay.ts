import type { Duplex } from 'node:stream';
import { challengesFor } from '../answer/challenges.ts';
import { discardRest } from '../answer/discard.ts';
import { flushHead } from '../answer/flush-head.ts';
import type { RawFields } from '../answer/raw-fields.ts';
import { responseFields, trailerFields } from '../answer/response-fields.ts';
import type { Code } from '../codes.ts';
import type { StreamEnd } from '../identity.ts';
import { type Forward, refuse } from '../outcome.ts';
import type { Origin } from '../upstreams/origin.ts';
import { BodyRate } from './body-rate.ts';
import type { Exchange } from './exchange.ts';
import { ourReason, ResponseTimeout, retryAfterOf } from './giving-up.ts';
import { ReaderStall } from './reader-stall.ts';
import { ClientGone, type RequestBody } from './request-body.ts';
import { type Send, Sending } from './sending.ts';
import { relayed } from './stream-garbage.ts';
import { isWebSocket, OtherProtocol } from './switched-protocol.ts';
import { upstreamFault } from './upstream-fault.ts';

/** A body up to this size is written together with its head, in one write. */
const SMALL = 16 * 1024;

/** `end_with: token`: the leave that the client had is over. */
class TokenEnded extends Error {
  readonly why: StreamEnd;

  constructor(why: StreamEnd) {
    super(why);
    this.why = why;
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** An answer of ours in place of the upstream's. */
export interface UpstreamRefusal {
  readonly code: Code;
  /** For logs; never sent to the client. */
  readonly detail: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Called with the upstream's 101, its header lines, and the connection that is now a tunnel. */
export type OnUpgrade = (raw: RawFields, socket: Duplex, plan: Forward) => void;

/** Between one client and one upstream. The methods are undici's dispatch handler. */
export class Relay {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #sending: Sending;
  readonly #body: RequestBody | undefined;
  readonly #rate: BodyRate | undefined;
  readonly #onUpgrade: OnUpgrade | undefined;
  #timer: NodeJS.Timeout | undefined;
  #resume: () => void = nothing;
  /** Of the answer, as announced. */
  #length: number | undefined;
  #isBodiless = false;
  /** The whole of a small answer, held back until its end is seen. */
  #whole: Buffer | undefined;
  #began = false;
  #isHeadOut = false;
  #finished = false;
  #unwatch: () => void = nothing;
  readonly #reader: ReaderStall;

  /** `origin`: as the upstream has just chosen it. */
  constructor(
    exchange: Exchange,
    plan: Forward,
    origin: Origin,
    body: RequestBody | undefined,
    onUpgrade: OnUpgrade | undefined,
  ) {
    this.#exchange = exchange;
    this.#plan = plan;
    this.#body = body;
    this.#onUpgrade = onUpgrade;
    this.#sending = new Sending(exchange, plan, origin, { body, isHandshake: onUpgrade !== undefined });
    exchange.response.on('close', this.#closed);
    const { clock, stalls, limits } = exchange.shared;
    this.#reader = new ReaderStall(exchange.response, clock, stalls, limits.idle);
    // Also for a request that waits for a free connection; a body has its own pace once there is one.
    this.#startTimer();
    if (body !== undefined) this.#rate = BodyRate.watch(body, exchange.shared);
    if (plan.route.watch !== undefined) this.#watch(plan.route.watch);
  }

  #watch(watch: NonNullable<Forward['route']['watch']>): void {
    const { identity, shadow } = this.#plan;
    if (identity === undefined || shadow !== undefined) return;
    this.#unwatch = watch(identity, (why) => {
      if (!this.#finished) this.#give(new TokenEnded(why));
    });
  }

  /** `send` dispatches the request; it is called again where that is safe, perhaps for another url. */
  start(send: Send): void {
    this.#sending.start(send);
  }

  /** Sends once more: the answer so far was for us. The time of both counts as one. */
  again(): void {
    if (!this.#finished) this.#sending.again();
  }

  /** Ends with an answer of ours; what is still to come of the upstream's concerns nobody. */
  refuse({ code, detail, retryAfter }: UpstreamRefusal): void {
    if (this.#finished) {
      this.#sending.leaveQueue();
      return;
    }
    this.#sending.refused();
    this.#finish(undefined);
    this.#body?.destroy();
    this.#exchange.fail(code, this.#plan, detail, retryAfter);
  }

  /** The upstream answered, and not for the client. */
  withheld(status: number): void {
    this.#exchange.trace?.answered(status);
  }

  /** Called by an engine that lets go of one that waits for a connection. */
  onQueued(leave: () => void): void {
    if (this.#finished) this.#sending.queuedLate(leave);
    else this.#sending.queued(leave);
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#finished) {
      this.#sending.connectedLate(abort);
      return;
    }
    this.#sending.connected(abort);
    if (this.#body !== undefined) this.#stopTimer();
  }

  /** The whole request is sent: from here on it is the upstream's turn. */
  onRequestSent(): void {
    if (this.#rate !== undefined) this.#exchange.shared.stalls.forget(this.#rate);
    if (this.#timer === undefined && !this.#began) this.#startTimer();
  }

  /** An interim answer is for us: we are the server that the client talks to (RFC 9110 §15.2). */
  onHeaders(status: number, raw: RawFields, resume: () => void): boolean {
    if (status < 200) return true;
    this.#stopTimer();
    this.#sending.answered();
    this.#exchange.answered(status);
    this.#resume = resume;
    const { request, response, shared, requestId, head } = this.#exchange;
    const empty = status === 204 || status === 304;
    this.#isBodiless = empty || head.method === 'HEAD';
    const { fields, length } = responseFields(raw, {
      bodiless: status === 204,
      trailers: head.version !== '1.0' && !this.#isBodiless,
      private: this.#plan.privateResponse,
      own: this.#plan.answerFields,
      crossOrigin: this.#plan.route.corsUpstream ? undefined : shared.crossOrigin?.answer(head),
      requestIdHeader: shared.requestIdHeaderLower,
      requestId,
    });
    this.#length = length;
    // RFC 9112 §9.6: what is still to come of the upload will not be read for long.
    if (this.#body !== undefined && !request.complete) response.shouldKeepAlive = false;
    this.#exchange.beforeHead();
    response.writeHead(status, fields);
    this.#began = true;
    // No content follows, whatever Content-Length says (RFC 9110 §15.4.5); undici would take it for a cut answer.
    if (empty) this.onComplete(null);
    else if (!this.#sending.tellsWaits) process.nextTick(flush, this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (chunk.length === this.#length && chunk.length <= SMALL) {
      this.#whole = chunk;
      return true;
    }
    relayed(chunk.length);
    this.#isHeadOut = true;
    if (this.#exchange.response.write(chunk)) return true;
    this.#reader.wait(this.#resume);
    return false;
  }

  onComplete(trailers: RawFields | null): void {
    if (this.#finished) return;
    const { response, request, shared } = this.#exchange;
    if (trailers !== null && trailers.length > 0)
      response.addTrailers(trailerFields(trailers, shared.requestIdHeaderLower));
    if (this.#body !== undefined && !request.complete) this.#endBeforeUpload(this.#body);
    else this.#end();
    this.#finish('forwarded');
  }

  /** As a string, a small body joins the head in one write to the socket; as a buffer it would be a second one. */
  #end(): void {
    const { response } = this.#exchange;
    if (this.#whole === undefined) response.end();
    else response.end(this.#whole.toString('latin1'), 'latin1');
  }

  /** An answer before the end of the upload: closing at once would reset the connection and take the answer with it. */
  #endBeforeUpload(body: RequestBody): void {
    const { request, response } = this.#exchange;
    body.destroy();
    if (request.standsAlone) {
      this.#end();
      return;
    }
    if (this.#length === undefined) {
      response.end();
      discardRest(request, () => request.socket.destroy());
      return;
    }
    if (this.#whole === undefined) flushHead(response, this.#isBodiless);
    else response.write(this.#whole);
    discardRest(request, () => response.end());
  }

  onError(error: Error): void {
    if (this.#finished) {
      this.#sending.leaveQueue();
      return;
    }
    if (this.#began) this.#cut(error);
    else this.#failed(error);
  }

  onUpgrade(status: number, raw: RawFields | null, socket: Duplex): void {
    const fields = raw ?? [];
    if (!isWebSocket(fields)) {
      socket.destroy();
      this.onError(new OtherProtocol('the upstream switched to a protocol that nobody asked for'));
      return;
    }
    this.#exchange.answered(status);
    this.#sending.answered();
    this.#sending.hold(socket);
    this.#finish('forwarded');
    this.#onUpgrade?.(fields, socket, this.#plan);
  }

  /** The head of a stream goes out even when its first byte is long in coming. */
  onWait(): void {
    const { response } = this.#exchange;
    if (!this.#began || this.#isHeadOut || this.#finished || this.#whole !== undefined || response.destroyed) return;
    this.#isHeadOut = true;
    flushHead(response, this.#isBodiless);
  }

  #startTimer(): void {
    const { response } = this.#plan.route.limits;
    if (response === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(timedOut, response, this);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  timedOut(): void {
    this.#give(new ResponseTimeout());
  }

  /** Also after a complete answer, when there is nothing left to do. */
  readonly #closed = (): void => {
    if (this.#finished) return;
    this.#give(new ClientGone());
  };

  /** Ends the upstream's side for a reason of ours; one that cannot leave the queue meets it in `onConnect`. */
  #give(reason: Error): void {
    if (this.#sending.giveUp(reason)) this.onError(reason);
  }

  #failed(error: Error): void {
    if (error instanceof TokenEnded) {
      this.#sending.abandoned();
      this.#refuse(error.why);
      return;
    }
    const next = this.#sending.failed(error);
    const code = reasonOf(error);
    if (next !== undefined) {
      this.#exchange.trace?.tried(code);
      this.#stopTimer();
      this.#startTimer();
      this.#sending.goTo(next);
      return;
    }
    this.#finish(code === 'client_gone' ? code : undefined);
    if (code === 'client_gone') return;
    this.#exchange.fail(code, this.#plan, error.message || error.constructor.name, retryAfterOf(error));
  }

  /** Nothing was answered yet: the request is refused as the next one will be. */
  #refuse(code: StreamEnd): void {
    const { route, identity } = this.#plan;
    const challenges = challengesFor(route, this.#exchange.head, code, NOBODY);
    this.#finish(undefined);
    this.#body?.destroy();
    this.#exchange.settle(refuse(code, { route, challenges, identity, detail: 'while it was forwarded' }));
  }

  /** RFC 9112 §8: an answer that was cut short is cut short for the client too, never completed. */
  #cut(error: Error): void {
    const isClients = error instanceof ClientGone;
    const cause = error instanceof TokenEnded ? error.why : reasonOf(error);
    if (!isClients) this.#exchange.trace?.cut(cause);
    const isCut = cause.startsWith('upstream_');
    this.#finish(isClients ? 'client_gone' : 'forwarded', `cut short: ${error.message}`, isCut);
    const { socket } = this.#exchange.request;
    if (socket.resetAndDestroy === undefined) socket.destroy();
    else socket.resetAndDestroy();
  }

  #finish(record: 'forwarded' | 'client_gone' | undefined, detail?: string, isCut = false): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#unwatch();
    this.#stopTimer();
    this.#sending.finish();
    const { shared } = this.#exchange;
    this.#reader.end();
    if (this.#rate !== undefined) shared.stalls.forget(this.#rate);
    if (record !== undefined) this.#exchange.record(record, this.#plan, detail, isCut);
  }
}

function reasonOf(error: Error): Code | 'client_gone' {
  return ourReason(error) ?? upstreamFault(error);
}

function flush(relay: Relay): void {
  relay.onWait();
}

function timedOut(relay: Relay): void {
  relay.timedOut();
}

function nothing(): void {}
