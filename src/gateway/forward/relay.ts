import type { Duplex } from 'node:stream';
import { resetConnection } from '../../base/reset-connection.ts';
import type { Deadline } from '../client/deadlines.ts';
import { discardRest } from '../client/discard.ts';
import type { Exchange } from '../client/exchange.ts';
import { flushHead } from '../client/flush-head.ts';
import { countStreamed } from '../client/gc-pressure.ts';
import { ClientGone, type RequestBody } from '../client/request-body.ts';
import {
  knownResponseLines,
  ownResponseFields,
  responseFields,
  responseRules,
  trailerFields,
} from '../client/response-fields.ts';
import { BodyRate, ReaderStall } from '../client/stalls.ts';
import { isWebSocket, OtherProtocol } from '../client/switched-protocol.ts';
import type { Forward } from '../decide/outcome.ts';
import type { RawFields } from '../message/raw-fields.ts';
import type { AnswerHandler, AnswerMemory } from '../upstreams/own/answer-handler.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { abortCode, ResponseTimeout, retryAfterOf, type UpstreamRefusal } from './abort-reasons.ts';
import type { DispatchedMessage } from './dispatch-options.ts';
import { cutWords, faultWords } from './fault-words.ts';
import { isListening, watchStop } from './listening.ts';
import { refuseEnded, TokenEnded, watchToken } from './token-ended.ts';
import { type Preparing, UpstreamAttempt } from './upstream-attempt.ts';

/** A body up to this size goes out with its head, in one write. */
const SMALL = 16 * 1024;

/** What the relay keeps of the upstream's head. */
interface AnswerHead {
  /** As `Content-Length` says. */
  readonly length: number | undefined;
  readonly isBodiless: boolean;
  /** Call it once the client has read what was written. */
  readonly resume: () => void;
}

const UNANSWERED: AnswerHead = { length: undefined, isBodiless: false, resume: nothing };

/** Carries one exchange between a client and an upstream. The methods are undici's dispatch handler. */
export class Relay implements AnswerHandler {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #sent: DispatchedMessage;
  readonly #attempt: UpstreamAttempt;
  /** Undefined: the client has read everything so far. */
  #reader: ReaderStall | undefined;
  readonly #rate: BodyRate | undefined;
  #timer: Deadline | undefined;
  #unwatch: () => void = nothing;
  #unwatchStop: () => void = nothing;
  #answer: AnswerHead = UNANSWERED;
  /** A small answer in latin1, held until it is complete. */
  #whole: string | undefined;
  #isHeadOut = false;

  /** `origin`: the URL that the upstream has just chosen. */
  constructor(exchange: Exchange, plan: Forward, origin: UpstreamUrl, sent: DispatchedMessage) {
    this.#exchange = exchange;
    this.#plan = plan;
    this.#sent = sent;
    this.#attempt = new UpstreamAttempt(exchange, plan, origin, sent);
    exchange.response.on('close', this.#closed);
    // The timeout includes the wait for a free connection. The body has its own timeout afterwards.
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

  /**
   * Sends the request again, because the answer so far was for the gateway. Both attempts share one timeout. Must not
   * be called once the client has an answer.
   */
  again(): void {
    if (!this.#attempt.isOver && !this.#attempt.isAnswered) this.#attempt.again();
  }

  /** Ends with an answer of the gateway. The relay discards the rest of the upstream's answer. */
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

  /** The upstream answered, but the client does not get this answer. */
  withheld(status: number): void {
    this.#exchange.trace?.answered(status);
  }

  /** The request waits for a connection. `leave` removes it from the engine's queue. */
  onQueued(leave: () => void): void {
    this.#attempt.queued(leave);
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#attempt.connected(abort) && this.#sent.upload !== undefined) this.#stopTimer();
  }

  /** The whole request is sent. Now the gateway waits for the upstream. */
  onRequestSent(): void {
    if (this.#rate !== undefined) this.#exchange.shared.stalls.forget(this.#rate);
    if (this.#timer === undefined && !this.#attempt.isAnswered && !this.#attempt.isOver) this.#startTimer();
  }

  /** An interim answer is for the gateway, because the client talks to the gateway as its server (RFC 9110 §15.2). */
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
    // RFC 9112 §9.6: the gateway does not read the rest of the upload for long.
    if (this.#sent.upload !== undefined && !request.complete) response.shouldKeepAlive = false;
    this.#exchange.beforeHead();
    if (made !== undefined) response.writeHead(status, made.fields);
    else if (known !== undefined) response.writeLines?.(status, known.lines, ownResponseFields(rules));
    this.#attempt.answered();
    // No content follows, whatever Content-Length says (RFC 9110 §15.4.5). undici would report a truncated answer.
    if (empty) this.onComplete(null);
    else if (!this.#attempt.tellsWaits) process.nextTick(flush, this);
    if (!empty && this.#answer.length === undefined && isListening(this.#plan, head.method)) this.#listen();
    return true;
  }

  /** The client gets a complete answer: an event stream may end after each event. */
  #listen(): void {
    this.#unwatchStop = watchStop(this.#exchange.shared.listener, () => {
      if (this.#attempt.isOver) return;
      this.onComplete(null);
      this.#attempt.abort(new Error('the gateway stops'));
    });
  }

  /** The relay keeps a small answer as text, which copies it only once. */
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

  /** As a string, a small body joins the head in one socket write. A buffer would need a second write. */
  #end(): void {
    const { response } = this.#exchange;
    if (this.#whole === undefined) response.end();
    else response.end(this.#whole, 'latin1');
  }

  /** The answer ends before the upload. An immediate close would reset the connection and lose the answer. */
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
      this.onError(new OtherProtocol('the upstream switched to a protocol that the client did not request'));
      return;
    }
    this.#exchange.answered(status);
    this.#attempt.heard();
    this.#attempt.hold(socket);
    this.#release('forwarded');
    this.#sent.onUpgrade?.(fields, socket, this.#plan);
  }

  /** Sends the head of a stream even if its first byte takes long. */
  onWait(): void {
    const { response } = this.#exchange;
    if (!this.#attempt.isAnswered || this.#isHeadOut || this.#whole !== undefined || response.destroyed) return;
    this.#isHeadOut = true;
    flushHead(response, this.#answer.isBodiless);
  }

  get #place() {
    return { name: this.#plan.route.upstream.name, url: this.#attempt.url };
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

  readonly #timedOut = (): void => {
    const { response } = this.#plan.route.limits;
    this.#give(new ResponseTimeout(response, this.#attempt.isQueued));
  };

  /** Also runs after a complete answer, and then does nothing. */
  readonly #closed = (): void => {
    if (!this.#attempt.isOver) this.#give(new ClientGone());
  };

  /** The gateway ends the upstream's side. */
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

  /** Answers the client if the attempt ended before any answer. */
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
    this.#exchange.fail(code, this.#plan, faultWords(error, this.#place), retryAfterOf(error));
  }

  /** RFC 9112 §8: if the upstream's answer is truncated, the client's is too. The relay never completes it. */
  #cut(error: Error): void {
    const isClients = error instanceof ClientGone;
    const cause = error instanceof TokenEnded ? error.why : abortCode(error);
    if (!isClients) this.#exchange.trace?.cut(cause);
    const isCut = cause.startsWith('upstream_');
    this.#finish(isClients ? 'client_gone' : 'forwarded', cutWords(error, this.#place), isCut);
    resetConnection(this.#exchange.request.socket);
  }

  #finish(record: 'forwarded' | 'client_gone', detail?: string, isCut = false): void {
    if (this.#attempt.end()) this.#release(record, detail, isCut);
  }

  #release(record: 'forwarded' | 'client_gone' | undefined, detail?: string, isCut = false): void {
    this.#unwatch();
    this.#unwatchStop();
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
