import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BodyRate, BodyTooSlow } from './body-rate.ts';
import { discardRest } from './discard.ts';
import type { Exchange } from './exchange.ts';
import type { Forward } from './outcome.ts';
import { BodyTooLarge, ClientGone, RequestBody } from './request-body.ts';
import { hasBody } from './request-head.ts';
import { responseFields, trailerFields } from './response-fields.ts';
import type { Watched } from './stalls.ts';
import { upstreamFault } from './upstream-fault.ts';
import { upstreamFields } from './upstream-fields.ts';

/** A body up to this size is written together with its head, in one write. */
const SMALL = 16 * 1024;

/** The upstream kept silent for longer than the route allows. */
class ResponseTimeout extends Error {}

/** Carries out a plan to forward: bytes straight between the client's request and the upstream's, both ways. */
export function forwardHttp(exchange: Exchange, plan: Forward, onUpgrade?: OnUpgrade): void {
  const { upstream } = plan.route;
  if (upstream.inFlight >= upstream.capacity) {
    exchange.fail('upstream_saturated', plan, `${upstream.inFlight} requests in flight`, 1);
    return;
  }
  const body = bodyToSend(exchange, plan);
  const relay = new Relay(exchange, plan, body instanceof RequestBody ? body : undefined, onUpgrade);
  // undici's own types take the buffers of the raw handler for strings.
  const handler = relay as unknown as Dispatcher.DispatchHandler;
  upstream.pool.dispatch(dispatchOptions(exchange, plan, body, onUpgrade), handler);
}

/** Called with the upstream's 101, its header lines, and the connection that is now a tunnel. */
export type OnUpgrade = (raw: readonly Buffer[], socket: Duplex) => void;

function bodyToSend(exchange: Exchange, plan: Forward): RequestBody | Buffer | null {
  if (plan.body !== 'stream') return plan.body;
  if (!hasBody(exchange.head)) return null;
  exchange.inviteBody();
  return new RequestBody(exchange.request, plan.shadow === undefined ? plan.route.bodyLimit : Number.POSITIVE_INFINITY);
}

function dispatchOptions(
  exchange: Exchange,
  plan: Forward,
  body: RequestBody | Buffer | null,
  onUpgrade: OnUpgrade | undefined,
): Dispatcher.DispatchOptions {
  const { head, shared, requestId } = exchange;
  const { upstream, idleTimeout, responseTimeout } = plan.route;
  const headers = upstreamFields(head, plan, { requestIdHeader: shared.requestIdHeaderLower, requestId });
  headers.push('host', upstream.host ?? head.host?.value ?? upstream.authority);
  const length = contentLength(exchange, body);
  if (length !== undefined) headers.push('content-length', length);
  return {
    path: plan.target,
    method: head.method as Dispatcher.HttpMethod,
    headers,
    body,
    upgrade: onUpgrade === undefined ? null : 'websocket',
    bodyTimeout: finite(idleTimeout),
    // The relay keeps its own time to the first byte; this one catches an upstream that stops reading an upload.
    headersTimeout: finite(responseTimeout + 1000),
  };
}

function contentLength({ head }: Exchange, body: RequestBody | Buffer | null): string | undefined {
  if (body instanceof Buffer) return String(body.length);
  return head.contentLength?.value;
}

/** Between one client and one upstream. The methods are undici's dispatch handler. */
class Relay implements Watched {
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
  /** Monotonic time since which the client has not taken what was written; undefined while it does. */
  #unreadSince: number | undefined;

  constructor(exchange: Exchange, plan: Forward, body: RequestBody | undefined, onUpgrade: OnUpgrade | undefined) {
    this.#exchange = exchange;
    this.#plan = plan;
    this.#body = body;
    this.#onUpgrade = onUpgrade;
    plan.route.upstream.inFlight++;
    exchange.response.on('close', this.#closed);
    if (body === undefined) this.#startTimer();
    else this.#rate = this.#watchRate(body);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#finished) abort(new ClientGone());
  }

  /** The whole request is sent: from here on it is the upstream's turn. */
  onRequestSent(): void {
    if (this.#rate !== undefined) this.#exchange.shared.stalls.forget(this.#rate);
    if (this.#timer === undefined && !this.#began) this.#startTimer();
  }

  /** An interim answer is for us: we are the server that the client talks to (RFC 9110 §15.2). */
  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    clearTimeout(this.#timer);
    this.#began = true;
    this.#resume = resume;
    const { response, shared, requestId, head } = this.#exchange;
    const { fields, length } = responseFields(raw, {
      bodiless: status === 204,
      trailers: head.version === '1.1' && head.method !== 'HEAD',
      private: this.#plan.privateResponse,
      crossOrigin: this.#plan.route.corsUpstream ? undefined : shared.crossOrigin?.answer(head),
      requestIdHeader: shared.requestIdHeaderLower,
      requestId,
    });
    this.#length = length;
    response.writeHead(status, fields);
    // No content follows, whatever Content-Length says (RFC 9110 §15.4.5); undici would take it for a cut answer.
    if (status === 204 || status === 304) this.onComplete(null);
    else process.nextTick(flushHead, this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (chunk.length === this.#length && chunk.length <= SMALL) {
      this.#whole = chunk;
      return true;
    }
    if (this.#exchange.response.write(chunk)) return true;
    this.#awaitReader();
    return false;
  }

  onComplete(trailers: Buffer[] | null): void {
    if (this.#finished) return;
    const { response, request } = this.#exchange;
    if (this.#whole !== undefined) {
      response.end(this.#whole.toString('latin1'), 'latin1');
    } else {
      if (trailers !== null && trailers.length > 0) response.addTrailers(trailerFields(trailers));
      response.end();
    }
    // An answer before the end of the upload: what is still to come is for nobody.
    if (this.#body !== undefined && !request.complete) this.#discardUpload(this.#body);
    this.#finish('forwarded');
  }

  onError(error: Error): void {
    if (this.#finished) return;
    if (this.#began) this.#cut(error);
    else this.#failed(error);
  }

  onUpgrade(_status: number, raw: Buffer[] | string[] | null, socket: Duplex): void {
    this.#finish('forwarded');
    this.#onUpgrade?.((raw ?? []) as Buffer[], socket);
  }

  /** A client that stopped reading is not kept for ever. */
  check(now: number): void {
    const { limits } = this.#exchange.shared;
    if (this.#unreadSince === undefined || now - this.#unreadSince < limits.idle) return;
    this.#exchange.request.socket.destroy();
  }

  /** The head of a stream goes out even when its first byte is long in coming. */
  flushHead(): void {
    const { response } = this.#exchange;
    if (!this.#finished && this.#whole === undefined && !response.destroyed) response.flushHeaders();
  }

  #discardUpload(body: RequestBody): void {
    const { request } = this.#exchange;
    body.destroy();
    discardRest(request, () => {
      if (!request.complete) request.socket.destroy();
    });
  }

  #startTimer(): void {
    const { responseTimeout } = this.#plan.route;
    if (responseTimeout === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(timedOut, responseTimeout, this);
  }

  timedOut(): void {
    this.#give(new ResponseTimeout());
  }

  #watchRate(body: RequestBody): BodyRate {
    const { limits, clock, stalls } = this.#exchange.shared;
    const rate = new BodyRate(body, limits.body_rate, clock.monotonic());
    stalls.watch(rate);
    return rate;
  }

  #awaitReader(): void {
    const { shared, response } = this.#exchange;
    if (this.#unreadSince === undefined) shared.stalls.watch(this);
    this.#unreadSince = shared.clock.monotonic();
    response.once('drain', this.#drained);
  }

  readonly #drained = (): void => {
    this.#unreadSince = undefined;
    this.#exchange.shared.stalls.forget(this);
    this.#resume();
  };

  /** Also after a complete answer, when there is nothing left to do. */
  readonly #closed = (): void => {
    if (this.#finished) return;
    this.#give(new ClientGone());
  };

  /** Ends the upstream's side for a reason of ours; one that waits for a connection meets it in `onConnect`. */
  #give(reason: Error): void {
    if (this.#abort !== undefined) this.#abort(reason);
    this.onError(reason);
  }

  #failed(error: Error): void {
    const cause = causes.find(({ type }) => error instanceof type);
    const code = cause === undefined ? upstreamFault(error) : cause.code;
    this.#finish(code === 'client_gone' ? code : undefined);
    if (code !== 'client_gone') this.#exchange.fail(code, this.#plan, error.message || error.constructor.name);
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
    clearTimeout(this.#timer);
    this.#plan.route.upstream.inFlight--;
    const { shared, response } = this.#exchange;
    response.off('close', this.#closed);
    if (this.#unreadSince !== undefined) shared.stalls.forget(this);
    if (this.#rate !== undefined) shared.stalls.forget(this.#rate);
    if (record !== undefined) this.#exchange.record(record, this.#plan, detail);
  }
}

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

/** undici's word for no limit is 0. */
function finite(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? milliseconds : 0;
}

function nothing(): void {}
