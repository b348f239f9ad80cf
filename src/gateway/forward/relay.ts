import type { Duplex } from 'node:stream';
import { resetConnection } from '../../base/reset-connection.ts';
import type { Deadline } from '../client/deadlines.ts';
import { discardRest } from '../client/discard.ts';
import type { Exchange } from '../client/exchange.ts';
import { flushHead } from '../client/flush-head.ts';
import { countStreamed } from '../client/gc-pressure.ts';
import { ClientGone, type RequestBody } from '../client/request-body.ts';
import { knownResponseLines, responseFields, responseRules, trailerFields } from '../client/response-fields.ts';
import { BodyRate, ReaderStall } from '../client/stalls.ts';
import { isWebSocket, OtherProtocol } from '../client/switched-protocol.ts';
import type { Forward } from '../decide/outcome.ts';
import type { RawFields } from '../message/raw-fields.ts';
import type { AnswerHandler, AnswerMemory } from '../upstreams/own/answer-handler.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { abortCode, ResponseTimeout, retryAfterOf, type UpstreamRefusal } from './abort-reasons.ts';
import type { DispatchedMessage } from './dispatch-options.ts';
import { refuseEnded, TokenEnded, watchToken } from './token-ended.ts';
import { type Preparing, UpstreamAttempt } from './upstream-attempt.ts';

/** A body up to this size is written together with its head, in one write. */
const SMALL = 16 * 1024;

/** From the upstream's answer. */
interface AnswerHead {
  /** As announced. */
  readonly length: number | undefined;
  readonly isBodiless: boolean;
  /** To be called once the client has taken what it was given. */
  readonly resume: () => void;
}

const UNANSWERED: AnswerHead = { length: undefined, isBodiless: false, resume: nothing };

/** Between one client and one upstream. The methods are undici's dispatch handler. */
export class Relay implements AnswerHandler {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #sent: DispatchedMessage;
  readonly #attempt: UpstreamAttempt;
  /** Undefined: the client has taken all that it was given so far. */
  #reader: ReaderStall | undefined;
  readonly #rate: BodyRate | undefined;
  #timer: Deadline | undefined;
  #unwatch: () => void = nothing;
  #answer: AnswerHead = UNANSWERED;
  /** The whole of a small answer in latin1, held back until its end is seen. */
  #whole: string | undefined;
  #isHeadOut = false;

  /** `origin`: as the upstream has just chosen it. */
  constructor(exchange: Exchange, plan: Forward, origin: UpstreamUrl, sent: DispatchedMessage) {
    this.#exchange = exchange;
    this.#plan = plan;
    this.#sent = sent;
    this.#attempt = new UpstreamAttempt(exchange, plan, origin, sent);
    exchange.response.on('close', this.#closed);
    // Also for a request that waits for a free connection; a body has its own pace once there is one.
    this.#startTimer();
    if (sent.upload !== undefined) this.#rate = BodyRate.watch(sent.upload, exchange.shared);
    if (plan.route.watch !== undefined) this.#watch();
  }

  #watch(): void {
    const unwatch = watchToken(this.#plan, (ended) => {
      if (!this.#attempt.isOver) this.#give(ended);
    });
    if (unwatch !== undefined) this.#unwatch = unwatch;
  }

  /** `handler`: this relay, or a filter in front of it. `preparing` calls `dispatch` for each attempt. */
  start(handler: AnswerHandler, preparing?: Preparing): void {
    this.#attempt.start(handler, preparing);
  }

  dispatch(authorization: string | undefined): void {
    this.#attempt.dispatch(authorization);
  }

  /** Sends once more: the answer so far was for us. The time of both counts as one. Not once the client has an answer. */
  again(): void {
    if (!this.#attempt.isOver && !this.#attempt.isAnswered) this.#attempt.again();
  }

  /** Ends with an answer of the gateway. The rest of the upstream's answer is discarded. */
  refuse({ code, detail, retryAfter }: UpstreamRefusal): void {
    if (this.#attempt.isOver) {
      this.#attempt.leaveQueue();
      return;
    }
    this.#attempt.refused();
    this.#release(undefined);
    this.#sent.upload?.destroy();
    this.#exchange.fail(code, this.#plan, detail, retryAfter);
  }

  /** The upstream answered, and not for the client. */
  withheld(status: number): void {
    this.#exchange.trace?.answered(status);
  }

  /** Called by an engine that lets go of one that waits for a connection. */
  onQueued(leave: () => void): void {
    this.#attempt.queued(leave);
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#attempt.connected(abort) && this.#sent.upload !== undefined) this.#stopTimer();
  }

  /** The whole request is sent: from here on it is the upstream's turn. */
  onRequestSent(): void {
    if (this.#rate !== undefined) this.#exchange.shared.stalls.forget(this.#rate);
    if (this.#timer === undefined && !this.#attempt.isAnswered && !this.#attempt.isOver) this.#startTimer();
  }

  /** An interim answer is for us: we are the server that the client talks to (RFC 9110 §15.2). */
  onHeaders(status: number, raw: RawFields, resume: () => void, _reason?: string, memory?: AnswerMemory): boolean {
    if (status < 200) return true;
    this.#stopTimer();
    this.#attempt.heard();
    this.#exchange.answered(status);
    const { request, response, head } = this.#exchange;
    const empty = status === 204 || status === 304;
    const isBodiless = empty || head.method === 'HEAD';
    const rules = responseRules(this.#exchange, this.#plan, status, isBodiless);
    const known = knownResponseLines(raw, rules, response.writeLines && memory);
    const made = known === undefined ? responseFields(raw, rules) : undefined;
    this.#answer = { length: (known ?? made)?.length, isBodiless, resume };
    // RFC 9112 §9.6: what is still to come of the upload will not be read for long.
    if (this.#sent.upload !== undefined && !request.complete) response.shouldKeepAlive = false;
    this.#exchange.beforeHead();
    if (made !== undefined) response.writeHead(status, made.fields);
    else if (known !== undefined) response.writeLines?.(status, known.lines, [rules.requestIdHeader, rules.requestId]);
    this.#attempt.answered();
    // No content follows, whatever Content-Length says (RFC 9110 §15.4.5); undici would take it for a cut answer.
    if (empty) this.onComplete(null);
    else if (!this.#attempt.tellsWaits) process.nextTick(flush, this);
    return true;
  }

  /** A small answer is taken as text, which copies it once. */
  onLent(chunk: Buffer): boolean {
    return this.#takesWhole(chunk) || this.onData(Buffer.from(chunk));
  }

  #takesWhole(chunk: Buffer): boolean {
    if (chunk.length !== this.#answer.length || chunk.length > SMALL) return false;
    this.#exchange.bytesOut += chunk.length;
    this.#whole = chunk.toString('latin1');
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#takesWhole(chunk)) return true;
    this.#exchange.bytesOut += chunk.length;
    countStreamed(chunk.length);
    this.#isHeadOut = true;
    if (this.#exchange.response.write(chunk)) return true;
    this.#waitForReader();
    return false;
  }

  #waitForReader(): void {
    const { response, shared } = this.#exchange;
    this.#reader ??= new ReaderStall(response, shared.clock, shared.stalls, shared.limits.idle, this.#answer.resume);
    this.#reader.wait();
  }

  onComplete(trailers: RawFields | null): void {
    if (this.#attempt.isOver) return;
    const { response, request, shared } = this.#exchange;
    if (trailers !== null && trailers.length > 0)
      response.addTrailers(trailerFields(trailers, shared.requestIdHeaderLower));
    const { upload } = this.#sent;
    if (upload !== undefined && !request.complete) this.#endBeforeUpload(upload);
    else this.#end();
    this.#finish('forwarded');
  }

  /** As a string, a small body joins the head in one write to the socket; as a buffer it would be a second one. */
  #end(): void {
    const { response } = this.#exchange;
    if (this.#whole === undefined) response.end();
    else response.end(this.#whole, 'latin1');
  }

  /** An answer before the end of the upload: closing at once would reset the connection and take the answer with it. */
  #endBeforeUpload(upload: RequestBody): void {
    const { request, response } = this.#exchange;
    upload.destroy();
    if (request.standsAlone) {
      this.#end();
      return;
    }
    if (this.#answer.length === undefined) {
      response.end();
      discardRest(request, () => request.socket.destroy());
      return;
    }
    if (this.#whole === undefined) flushHead(response, this.#answer.isBodiless);
    else response.write(Buffer.from(this.#whole, 'latin1'));
    discardRest(request, () => response.end());
  }

  onError(error: Error): void {
    if (this.#attempt.isOver) this.#attempt.leaveQueue();
    else if (this.#attempt.isAnswered) this.#cut(error);
    else this.#failed(error);
  }

  onUpgrade(status: number, raw: RawFields | null, socket: Duplex): void {
    const fields = raw ?? [];
    if (!isWebSocket(fields)) {
      socket.destroy();
      this.onError(new OtherProtocol('the upstream switched to a protocol that the request did not ask for'));
      return;
    }
    this.#exchange.answered(status);
    this.#attempt.heard();
    this.#attempt.hold(socket);
    this.#release('forwarded');
    this.#sent.onUpgrade?.(fields, socket, this.#plan);
  }

  /** The head of a stream goes out even when its first byte is long in coming. */
  onWait(): void {
    const { response } = this.#exchange;
    if (!this.#attempt.isAnswered || this.#isHeadOut || this.#whole !== undefined || response.destroyed) return;
    this.#isHeadOut = true;
    flushHead(response, this.#answer.isBodiless);
  }

  #startTimer(): void {
    const { response } = this.#plan.route.limits;
    if (response === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#exchange.shared.deadlines.begin(response, this.#timedOut);
  }

  #stopTimer(): void {
    this.#timer?.end();
    this.#timer = undefined;
  }

  readonly #timedOut = (): void => this.#give(new ResponseTimeout());

  /** Also after a complete answer, when there is nothing left to do. */
  readonly #closed = (): void => {
    if (!this.#attempt.isOver) this.#give(new ClientGone());
  };

  /** Ends the upstream's side for a reason of ours. */
  #give(reason: Error): void {
    if (this.#attempt.isQueued) {
      this.#attempt.withdraw(reason);
      this.#answerFor(reason);
    } else if (this.#attempt.abort(reason)) this.onError(reason);
  }

  #failed(error: Error): void {
    const isEnded = error instanceof TokenEnded;
    if (isEnded) this.#attempt.abandoned();
    const next = isEnded ? undefined : this.#attempt.failed(error);
    if (next === undefined) {
      this.#attempt.end();
      this.#answerFor(error);
      return;
    }
    this.#exchange.trace?.tried(abortCode(error));
    this.#stopTimer();
    this.#startTimer();
    this.#attempt.goTo(next);
  }

  /** The client's answer to an end before any answer. */
  #answerFor(error: Error): void {
    if (error instanceof TokenEnded) {
      this.#release(undefined);
      this.#sent.upload?.destroy();
      refuseEnded(this.#exchange, this.#plan, error.why);
      return;
    }
    const code = abortCode(error);
    this.#release(code === 'client_gone' ? code : undefined);
    if (code === 'client_gone') return;
    this.#exchange.fail(code, this.#plan, error.message || error.constructor.name, retryAfterOf(error));
  }

  /** RFC 9112 §8: an answer that was cut short is cut short for the client too, never completed. */
  #cut(error: Error): void {
    const isClients = error instanceof ClientGone;
    const cause = error instanceof TokenEnded ? error.why : abortCode(error);
    if (!isClients) this.#exchange.trace?.cut(cause);
    const isCut = cause.startsWith('upstream_');
    this.#finish(isClients ? 'client_gone' : 'forwarded', `cut short: ${error.message}`, isCut);
    resetConnection(this.#exchange.request.socket);
  }

  #finish(record: 'forwarded' | 'client_gone', detail?: string, isCut = false): void {
    if (this.#attempt.end()) this.#release(record, detail, isCut);
  }

  #release(record: 'forwarded' | 'client_gone' | undefined, detail?: string, isCut = false): void {
    this.#unwatch();
    this.#stopTimer();
    this.#reader?.end();
    if (this.#rate !== undefined) this.#exchange.shared.stalls.forget(this.#rate);
    if (record !== undefined) this.#exchange.record(record, this.#plan, detail, isCut);
  }
}

function flush(relay: Relay): void {
  relay.onWait();
}

function nothing(): void {}
