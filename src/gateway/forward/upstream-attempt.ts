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
 * - `queued`: it waits for the turn of its address, for what must be known first, or for a connection.
 * - `connected`: it has a connection, and no answer for the client yet.
 * - `answered`: the answer is on its way to the client.
 * - `tunnel`: the connection is the client's.
 * - `lingering`: it was given up while it was queued, and the engine has it still.
 * - `done`: it counts no more.
 */
type State = 'queued' | 'connected' | 'answered' | 'tunnel' | 'lingering' | 'done';

/** Finds out what must be known before a request is sent, and then calls `dispatch`. */
export interface Preparing {
  prepare(origin: UpstreamUrl): void;
}

/** Where a request is. */
interface Visit {
  readonly origin: UpstreamUrl;
  /** What its breaker counts by. */
  readonly epoch: number;
  /** What carries it there, as soon as it is sent. */
  engine: ForwardEngine | undefined;
}

/**
 * One request on its way to one url, and to another one where that fails. For as long as it is there it counts as in flight,
 * at the upstream and at the url, whose breaker hears how it went.
 */
export class UpstreamAttempt implements Applicant {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #sent: DispatchedMessage;
  #state: State = 'queued';
  #at: Visit;
  #retries: number;
  /** An answer to it was not understood: what is sent again, another engine carries. */
  #isForeign = false;
  /** Among the connections of its address. */
  #place: RequestShare | undefined;
  /** Takes it out of the line in which it waits, or ends its connection. Undefined: the engine lets go of none that waits. */
  #stop: ((reason?: Error) => void) | undefined;
  #handler: AnswerHandler | undefined;
  /** Undefined: it is sent as it is. */
  #preparing: Preparing | undefined;
  /** As it is sent first. */
  #options: Dispatched | undefined;

  /** `origin`: as the upstream has just chosen it. */
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

  get isQueued(): boolean {
    return this.#state === 'queued';
  }

  get isAnswered(): boolean {
    return this.#state === 'answered';
  }

  /** What its engine says of it is no answer to the client any more. */
  get isOver(): boolean {
    return this.#state === 'done' || this.#state === 'tunnel' || this.#state === 'lingering';
  }

  /** Whether the handler hears `onWait`. */
  get tellsWaits(): boolean {
    return this.#at.engine?.tellsWaits === true;
  }

  /** Once its address may have another connection; it is sent again where that is safe, perhaps to another url. */
  start(handler: AnswerHandler, preparing: Preparing | undefined): void {
    this.#handler = handler;
    this.#preparing = preparing;
    // Made before it waits: that is our own time, and its span begins with it.
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

  /** Sends the request. `authorization`: the value of that field, if it has one. */
  dispatch(authorization: string | undefined): void {
    // Each try has a span of its own, which it tells the upstream.
    const options = this.#options ?? this.#build();
    this.#options = undefined;
    if (authorization !== undefined) options.headers.push('authorization', authorization);
    const { carrier } = this.#at.origin;
    const engine = this.#isForeign ? carrier.lenient() : carrier.engine;
    this.#at.engine = engine;
    // undici's own types take the buffers of the raw handler for strings.
    engine.dispatch(options, this.#handler as unknown as Dispatcher.DispatchHandler);
  }

  #build(): Dispatched {
    return dispatchOptions(this.#exchange, this.#plan, this.#at.origin, this.#sent);
  }

  /** To the same url: what it answered so far was for us. */
  again(): void {
    this.#state = 'queued';
    this.#stop = undefined;
    this.#send();
  }

  /** It waits for a connection. */
  queued(leave: () => void): void {
    if (!this.isOver) {
      this.#stop = leave;
      return;
    }
    leave();
    this.leaveQueue();
  }

  /** False: it has a connection that is no longer needed. */
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

  /** The url has answered, whatever it says. */
  heard(): void {
    this.#at.origin.breaker?.succeeded(this.#at.epoch);
  }

  answered(): void {
    if (!this.isOver) this.#state = 'answered';
  }

  /** It ends for a reason that says nothing of the url. */
  abandoned(): void {
    this.#at.origin.breaker?.abandoned(this.#at.epoch);
  }

  /** An answer of ours ends it. Where it was sent it was answered, if not for the client. */
  refused(): void {
    if (this.#state === 'queued') this.abandoned();
    else this.heard();
    this.end();
  }

  /** A tunnel is a connection of the upstream's for as long as it lasts. */
  hold(tunnel: Duplex): void {
    this.#state = 'tunnel';
    this.#place?.becomesTunnel();
    tunnel.once('close', () => this.#letGo());
  }

  /** Ends it in the queue, for a reason of ours. One that its engine cannot let go lingers until the engine is done with it. */
  withdraw(reason: Error): void {
    const stop = this.#stop;
    stop?.();
    this.#report(reason, true);
    if (stop === undefined) this.#state = 'lingering';
    else this.end();
  }

  /**
   * Ends its connection, for a reason of the gateway. False: the engine reported that end at once, and the request was
   * retried elsewhere.
   */
  abort(reason: Error): boolean {
    const at = this.#at;
    this.#stop?.(reason);
    return this.#at === at;
  }

  /** It has failed before it was answered: where it goes next. Undefined: nowhere. */
  failed(error: Error): UpstreamUrl | undefined {
    this.#report(error, false);
    this.#isForeign ||= error instanceof ForeignAnswer;
    return this.#nextFor(error);
  }

  goTo(next: UpstreamUrl): void {
    this.#at.origin.inFlight--;
    next.inFlight++;
    next.counts.retries++;
    // By Digest each request counts itself.
    if (next.digest === undefined) this.#exchange.attempts = (this.#exchange.attempts || 1) + 1;
    this.#at = visit(next);
    this.#retries--;
    this.again();
  }

  /** False: it was over before. */
  end(): boolean {
    if (this.isOver) return false;
    this.#letGo();
    return true;
  }

  /** The engine has let it go. */
  leaveQueue(): void {
    if (this.#state === 'lingering') this.#letGo();
  }

  #letGo(): void {
    this.#state = 'done';
    this.#place?.leave();
    this.#plan.route.upstream.inFlight--;
    this.#at.origin.inFlight--;
  }

  /** What a failure says of the url; what is the client's, or ours, says nothing. */
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
