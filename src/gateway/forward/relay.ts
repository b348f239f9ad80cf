import type { Duplex } from 'node:stream';
import { discardRest } from '../answer/discard.ts';
import { responseFields, trailerFields } from '../answer/response-fields.ts';
import type { Forward } from '../outcome.ts';
import { hasBody } from '../request-head.ts';
import { BodyRate, BodyTooSlow } from './body-rate.ts';
import type { Exchange } from './exchange.ts';
import { ReaderStall } from './reader-stall.ts';
import { BodyTooLarge, ClientGone, type RequestBody } from './request-body.ts';
import { relayed } from './stream-garbage.ts';
import { upstreamFault, wasCut } from './upstream-fault.ts';

/** A body up to this size is written together with its head, in one write. */
const SMALL = 16 * 1024;

/** The upstream kept silent for longer than the route allows. */
class ResponseTimeout extends Error {}

/** Called with the upstream's 101, its header lines, and the connection that is now a tunnel. */
export type OnUpgrade = (raw: readonly Buffer[], socket: Duplex) => void;

/** Between one client and one upstream. The methods are undici's dispatch handler. */
export class Relay {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #body: RequestBody | undefined;
  readonly #rate: BodyRate | undefined;
  readonly #onUpgrade: OnUpgrade | undefined;
  #timer: NodeJS.Timeout | undefined;
  #abort: ((reason?: Error) => void) | undefined;
  #resume: () => void = nothing;
  /** Of the answer, as announced. */
  #length: number | undefined;
  /** The whole of a small answer, held back until its end is seen. */
  #whole: Buffer | undefined;
  #began = false;
  #finished = false;
  #holds = false;
  /** Given up while it waited for a connection: undici has it still, so it counts still. */
  #queued = false;
  #retried = false;
  #send: () => void = nothing;
  readonly #reader: ReaderStall;

  constructor(exchange: Exchange, plan: Forward, body: RequestBody | undefined, onUpgrade: OnUpgrade | undefined) {
    this.#exchange = exchange;
    this.#plan = plan;
    this.#body = body;
    this.#onUpgrade = onUpgrade;
    plan.route.upstream.inFlight++;
    exchange.response.on('close', this.#closed);
    const { clock, stalls, limits } = exchange.shared;
    this.#reader = new ReaderStall(exchange.response, clock, stalls, limits.idle);
    // Also for a request that waits for a free connection; a body has its own pace once there is one.
    this.#startTimer();
    if (body !== undefined) this.#rate = BodyRate.watch(body, exchange.shared);
  }

  /** `send` dispatches the request; it is called a second time where that is safe. */
  start(send: () => void): void {
    this.#send = send;
    send();
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#finished) {
      this.#leaveQueue();
      abort(new ClientGone());
    } else if (this.#body !== undefined) this.#stopTimer();
  }

  /** The whole request is sent: from here on it is the upstream's turn. */
  onRequestSent(): void {
    if (this.#rate !== undefined) this.#exchange.shared.stalls.forget(this.#rate);
    if (this.#timer === undefined && !this.#began) this.#startTimer();
  }

  /** An interim answer is for us: we are the server that the client talks to (RFC 9110 §15.2). */
  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.#stopTimer();
    this.#exchange.answered();
    this.#resume = resume;
    const { request, response, shared, requestId, head } = this.#exchange;
    const empty = status === 204 || status === 304;
    const { fields, length } = responseFields(raw, {
      bodiless: status === 204,
      trailers: head.version === '1.1' && head.method !== 'HEAD' && !empty,
      private: this.#plan.privateResponse,
      own: this.#plan.answerFields,
      crossOrigin: this.#plan.route.corsUpstream ? undefined : shared.crossOrigin?.answer(head),
      requestIdHeader: shared.requestIdHeaderLower,
      requestId,
    });
    this.#length = length;
    // RFC 9112 §9.6: what is still to come of the upload will not be read for long.
    if (this.#body !== undefined && !request.complete) response.shouldKeepAlive = false;
    response.writeHead(status, fields);
    this.#began = true;
    // No content follows, whatever Content-Length says (RFC 9110 §15.4.5); undici would take it for a cut answer.
    if (empty) this.onComplete(null);
    else process.nextTick(flushHead, this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (chunk.length === this.#length && chunk.length <= SMALL) {
      this.#whole = chunk;
      return true;
    }
    relayed(chunk.length);
    if (this.#exchange.response.write(chunk)) return true;
    this.#reader.wait(this.#resume);
    return false;
  }

  onComplete(trailers: Buffer[] | null): void {
    if (this.#finished) return;
    const { response, request } = this.#exchange;
    if (trailers !== null && trailers.length > 0) response.addTrailers(trailerFields(trailers));
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
    if (this.#length === undefined) {
      response.end();
      discardRest(request, () => request.socket.destroy());
      return;
    }
    if (this.#whole === undefined) response.flushHeaders();
    else response.write(this.#whole);
    discardRest(request, () => response.end());
  }

  onError(error: Error): void {
    if (this.#finished) {
      this.#leaveQueue();
      return;
    }
    if (this.#began) this.#cut(error);
    else this.#failed(error);
  }

  onUpgrade(_status: number, raw: Buffer[] | string[] | null, socket: Duplex): void {
    this.#exchange.answered();
    // A tunnel is a connection of the upstream's for as long as it lasts.
    this.#holds = true;
    socket.once('close', () => this.#plan.route.upstream.inFlight--);
    this.#finish('forwarded');
    this.#onUpgrade?.((raw ?? []) as Buffer[], socket);
  }

  /** The head of a stream goes out even when its first byte is long in coming. */
  flushHead(): void {
    const { response } = this.#exchange;
    if (!this.#finished && this.#whole === undefined && !response.destroyed) response.flushHeaders();
  }

  #leaveQueue(): void {
    if (this.#queued) this.#plan.route.upstream.inFlight--;
    this.#queued = false;
  }

  #startTimer(): void {
    const { responseTimeout } = this.#plan.route;
    if (responseTimeout === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(timedOut, responseTimeout, this);
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

  /** Ends the upstream's side for a reason of ours; one that waits for a connection meets it in `onConnect`. */
  #give(reason: Error): void {
    if (this.#abort === undefined) this.#queued = true;
    else this.#abort(reason);
    this.onError(reason);
  }

  #failed(error: Error): void {
    if (this.#mayRetry(error)) {
      this.#retried = true;
      this.#abort = undefined;
      this.#send();
      return;
    }
    const cause = causes.find(({ type }) => error instanceof type);
    const code = cause === undefined ? upstreamFault(error) : cause.code;
    this.#finish(code === 'client_gone' ? code : undefined);
    if (code !== 'client_gone') this.#exchange.fail(code, this.#plan, error.message || error.constructor.name);
  }

  /**
   * A kept connection can be closed by the upstream in the moment in which a request is sent on it. Once, and only what
   * is safe and has no body, is sent again (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
   */
  #mayRetry(error: Error): boolean {
    const { head } = this.#exchange;
    if (this.#retried || this.#onUpgrade !== undefined || hasBody(head)) return false;
    return SAFE.has(head.method) && wasCut(error) && !this.#exchange.gone;
  }

  /** RFC 9112 §8: an answer that was cut short is cut short for the client too, never completed. */
  #cut(error: Error): void {
    this.#finish(error instanceof ClientGone ? 'client_gone' : 'forwarded', `cut short: ${error.message}`);
    const { socket } = this.#exchange.request;
    if ('resetAndDestroy' in socket) socket.resetAndDestroy();
    else (socket as Duplex).destroy();
  }

  #finish(record: 'forwarded' | 'client_gone' | undefined, detail?: string): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#stopTimer();
    if (!this.#holds && !this.#queued) this.#plan.route.upstream.inFlight--;
    const { shared, response } = this.#exchange;
    response.off('close', this.#closed);
    this.#reader.end();
    if (this.#rate !== undefined) shared.stalls.forget(this.#rate);
    if (record !== undefined) this.#exchange.record(record, this.#plan, detail);
  }
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Reasons of ours for giving up before an answer began, and what the client is told. */
const causes = [
  { type: ClientGone, code: 'client_gone' },
  { type: BodyTooLarge, code: 'body_too_large' },
  { type: BodyTooSlow, code: 'request_timeout' },
  { type: ResponseTimeout, code: 'upstream_timeout' },
] as const;

function flushHead(relay: Relay): void {
  relay.flushHead();
}

function timedOut(relay: Relay): void {
  relay.timedOut();
}

function nothing(): void {}
