import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { catchDefects } from '../client/carry-out.ts';
import type { Exchange } from '../client/exchange.ts';
import { ClientGone } from '../client/request-body.ts';
import type { Forward } from '../decide/outcome.ts';
import type { ForwardEngine } from '../upstreams/engine.ts';
import type { AnswerHandler } from '../upstreams/own/answer-handler.ts';
import { ForeignAnswer } from '../upstreams/own/invalid-answer.ts';
import type { Applicant, RequestShare } from '../upstreams/shares.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { ConnectionYielded } from './abort-reasons.ts';
import { type Dispatched, type DispatchedMessage, dispatchOptions } from './dispatch-options.ts';
import { isOfUpstream, retryTarget } from './retry-policy.ts';

/**
 * - `queued`: the request waits for its address's turn, for `Preparing`, or for a connection.
 * - `connected`: it has a connection, but the client has no answer yet.
 * - `answered`: the answer is on its way to the client.
 * - `tunnel`: the connection belongs to the client.
 * - `lingering`: it was given up while it was queued, but the engine still has it.
 * - `done`: it no longer counts.
 */
type State = 'queued' | 'connected' | 'answered' | 'tunnel' | 'lingering' | 'done';

/** Finds out what the gateway must know before it sends a request. Then it calls `dispatch`. */
export interface Preparing {
  prepare(origin: UpstreamUrl): void;
}

/** The URL and engine that a request uses. */
interface Visit {
  readonly origin: UpstreamUrl;
  /** The state of the URL's breaker when the request chose the URL. */
  readonly epoch: number;
  /** The engine that carries the request, once it is sent. */
  engine: ForwardEngine | undefined;
}

/**
 * One request on its way to one URL, and to another URL if the first fails. Until it ends, it counts as in flight at
 * the upstream and at the URL. The URL's breaker learns the result.
 */
export class UpstreamAttempt implements Applicant {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #sent: DispatchedMessage;
  #state: State = 'queued';
  #at: Visit;
  #retries: number;
  /** Our own engine did not understand an answer, so another engine carries the retry. */
  #isForeign = false;
  /** Its share of the upstream's connections. */
  #place: RequestShare | undefined;
  /**
   * Removes the request from its queue, or ends its connection. Undefined: the engine cannot drop a waiting request.
   */
  #stop: ((reason?: Error) => void) | undefined;
  #handler: AnswerHandler | undefined;
  /** Undefined: the request needs no preparation. */
  #preparing: Preparing | undefined;
  /** The options of the first attempt. */
  #options: Dispatched | undefined;

  /** `origin`: the URL that the upstream has just chosen. */
  constructor(exchange: Exchange, plan: Forward, origin: UpstreamUrl, sent: DispatchedMessage) {
    const { upstream } = plan.route;
    this.#exchange = exchange;
    this.#plan = plan;
    this.#sent = sent;
    this.#at = visit(origin);
    this.#retries = upstream.retries;
    upstream.inFlight++;
    origin.inFlight++;
  }

  get address(): string {
    return this.#exchange.head.origin.address;
  }

  get share(): number {
    return this.#exchange.shared.limits.share;
  }

  /** The URL of the current attempt. */
  get url(): UpstreamUrl {
    return this.#at.origin;
  }

  get isQueued(): boolean {
    return this.#state === 'queued';
  }

  get isAnswered(): boolean {
    return this.#state === 'answered';
  }

  /** Whether later reports of the engine no longer concern the client's answer. */
  get isOver(): boolean {
    return this.#state === 'done' || this.#state === 'tunnel' || this.#state === 'lingering';
  }

  /** Whether the engine calls the handler's `onWait`. */
  get tellsWaits(): boolean {
    return this.#at.engine?.tellsWaits === true;
  }

  /**
   * Starts once its address may have another connection. If that is safe, a failed request is retried, perhaps at
   * another URL.
   */
  start(handler: AnswerHandler, preparing: Preparing | undefined): void {
    this.#handler = handler;
    this.#preparing = preparing;
    // The options are made before the wait: this is the gateway's own time, and the span begins here.
    if (preparing === undefined) this.#options = this.#build();
    this.#exchange.forwarding();
    this.#place = this.#plan.route.upstream.shares.enter(this);
    if (this.#place.waits) this.#wait();
    else this.#send();
  }

  #wait(): void {
    const { shared, head } = this.#exchange;
    shared.fullShares.met(`upstreams.${this.#plan.route.upstream.name}`, head);
    this.#stop = this.#leaveLine;
    this.#sent.upload?.once('error', this.#uploadFailed);
  }

  readonly #leaveLine = (): void => {
    this.#place?.leave();
    this.#sent.upload?.destroy();
  };

  readonly #uploadFailed = (error: Error): void => {
    if (this.#place?.waits === true) this.#handler?.onError(error);
  };

  go(): void {
    this.#stop = undefined;
    catchDefects(this.#exchange, () => this.#send());
  }

  giveWay(): void {
    this.#sent.upload?.destroy();
    this.#handler?.onError(new ConnectionYielded());
  }

  #send(): void {
    if (this.#preparing === undefined) this.dispatch(undefined);
    else this.#preparing.prepare(this.#at.origin);
  }

  /** Sends the request. `authorization`: the value of this field, if the request needs one. */
  dispatch(authorization: string | undefined): void {
    // Each attempt has its own span, whose id the upstream gets.
    const options = this.#options ?? this.#build();
    this.#options = undefined;
    if (authorization !== undefined) options.headers.push('authorization', authorization);
    const { carrier } = this.#at.origin;
    const engine = this.#isForeign ? carrier.lenient() : carrier.engine;
    this.#at.engine = engine;
    // undici types the buffers of the raw handler as strings.
    engine.dispatch(options, this.#handler as unknown as Dispatcher.DispatchHandler);
  }

  #build(): Dispatched {
    return dispatchOptions(this.#exchange, this.#plan, this.#at.origin, this.#sent);
  }

  /** Sends to the same URL again, because the answer so far was for the gateway. */
  again(): void {
    this.#state = 'queued';
    this.#stop = undefined;
    this.#send();
  }

  /** The request waits for a connection. */
  queued(leave: () => void): void {
    if (!this.isOver) {
      this.#stop = leave;
      return;
    }
    leave();
    this.leaveQueue();
  }

  /** False: the connection is no longer needed. */
  connected(abort: (reason?: Error) => void): boolean {
    if (!this.isOver) {
      this.#state = 'connected';
      this.#stop = abort;
      return true;
    }
    this.leaveQueue();
    abort(new ClientGone());
    return false;
  }

  /** The URL has answered, whatever the answer says. */
  heard(): void {
    this.#at.origin.breaker?.succeeded(this.#at.epoch);
  }

  answered(): void {
    if (!this.isOver) this.#state = 'answered';
  }

  /** The request ends for a reason that says nothing about the URL. */
  abandoned(): void {
    this.#at.origin.breaker?.abandoned(this.#at.epoch);
  }

  /** Ends the request with an answer of the gateway. If the request was sent, the URL counts as answering. */
  refused(): void {
    if (this.#state === 'queued') this.abandoned();
    else this.heard();
    this.end();
  }

  /** A tunnel occupies a connection to the upstream until it ends. */
  hold(tunnel: Duplex): void {
    this.#state = 'tunnel';
    this.#place?.becomesTunnel();
    tunnel.once('close', () => this.#letGo());
  }

  /**
   * The gateway ends a queued request. If its engine cannot drop it, the request lingers until the engine is done with
   * it.
   */
  withdraw(reason: Error): void {
    const stop = this.#stop;
    stop?.();
    this.#report(reason, true);
    if (stop === undefined) this.#state = 'lingering';
    else this.end();
  }

  /**
   * The gateway ends the connection. False: the engine reported this end at once, and the request was retried
   * elsewhere.
   */
  abort(reason: Error): boolean {
    const at = this.#at;
    this.#stop?.(reason);
    return this.#at === at;
  }

  /** The request failed before it was answered. Returns the URL for the retry; undefined: no retry. */
  failed(error: Error): UpstreamUrl | undefined {
    this.#report(error, false);
    this.#isForeign ||= error instanceof ForeignAnswer;
    return this.#nextFor(error);
  }

  goTo(next: UpstreamUrl): void {
    this.#at.origin.inFlight--;
    next.inFlight++;
    next.counts.retries++;
    // With Digest, `DigestAttempts` counts the attempts.
    if (next.digest === undefined) this.#exchange.attempts = (this.#exchange.attempts || 1) + 1;
    this.#at = visit(next);
    this.#retries--;
    this.again();
  }

  /** False: the attempt had already ended. */
  end(): boolean {
    if (this.isOver) return false;
    this.#letGo();
    return true;
  }

  /** The engine has dropped the request. */
  leaveQueue(): void {
    if (this.#state === 'lingering') this.#letGo();
  }

  #letGo(): void {
    this.#state = 'done';
    this.#place?.leave();
    this.#plan.route.upstream.inFlight--;
    this.#at.origin.inFlight--;
  }

  /** Tells the breaker what a failure says about the URL. A failure of the client or the gateway says nothing. */
  #report(error: Error, isQueued: boolean): void {
    const { origin, epoch } = this.#at;
    if (origin.breaker === undefined) return;
    if (isOfUpstream(error, isQueued)) origin.breaker.failed(epoch, this.#exchange.shared.clock.monotonic());
    else origin.breaker.abandoned(epoch);
  }

  #nextFor(error: Error): UpstreamUrl | undefined {
    if (this.#retries === 0 || this.#exchange.gone) return undefined;
    const { upstream } = this.#plan.route;
    const where = retryTarget(error, {
      head: this.#exchange.head,
      isSent: this.#state !== 'queued',
      isTouched: this.#sent.upload?.destroyed === true,
      isHandshake: this.#sent.onUpgrade !== undefined,
    });
    if (where === 'nowhere' || (where === 'elsewhere' && upstream.origins.length === 1)) return undefined;
    const next = upstream.choose(this.#at.origin);
    if (where === 'anywhere' || next !== this.#at.origin) return next;
    next.breaker?.abandoned(next.breaker.epoch);
    return undefined;
  }
}

function visit(origin: UpstreamUrl): Visit {
  return { origin, epoch: origin.breaker?.epoch ?? 0, engine: undefined };
}
