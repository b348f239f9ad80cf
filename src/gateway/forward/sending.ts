import type { Duplex } from 'node:stream';
import type { Forward } from '../outcome.ts';
import type { Origin } from '../upstreams/origin.ts';
import type { Exchange } from './exchange.ts';
import { ClientGone, type RequestBody } from './request-body.ts';
import { isOfUpstream, whereAgain } from './send-again.ts';

/** Dispatches the request to this url. */
export type Send = (origin: Origin) => void;

export interface Sent {
  readonly body: RequestBody | undefined;
  readonly isHandshake: boolean;
}

/**
 * One request on its way to one url, and to another one where that fails. For as long as it is there it counts as in flight,
 * at the upstream and at the url, whose breaker hears how it went.
 */
export class Sending {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  readonly #sent: Sent;
  #abort: ((reason?: Error) => void) | undefined;
  /** Undefined: the engine lets go of none that waits. */
  #leave: (() => void) | undefined;
  /** Given up while it waited for a connection. */
  #unsent = false;
  /** The engine has it still, so it counts still. */
  #lingers = false;
  #holds = false;
  /** Where the request is now, and what its breaker counts by. */
  #origin: Origin;
  #epoch: number;
  #retries: number;
  #send: Send = nothing;

  /** `origin`: as the upstream has just chosen it. */
  constructor(exchange: Exchange, plan: Forward, origin: Origin, sent: Sent) {
    const { upstream } = plan.route;
    this.#exchange = exchange;
    this.#plan = plan;
    this.#sent = sent;
    this.#origin = origin;
    this.#epoch = epochOf(origin);
    this.#retries = upstream.retries;
    upstream.inFlight++;
    origin.inFlight++;
  }

  /** `send` is called again where that is safe, perhaps for another url. */
  start(send: Send): void {
    this.#send = send;
    send(this.#origin);
  }

  /** To the same url: what it answered so far was for us. */
  again(): void {
    this.#abort = undefined;
    this.#leave = undefined;
    this.#send(this.#origin);
  }

  /** It waits for a connection. */
  queued(leave: () => void): void {
    this.#leave = leave;
  }

  /** It waits, and nobody waits for it any more. */
  queuedLate(leave: () => void): void {
    leave();
    this.leaveQueue();
  }

  /** It has a connection. */
  connected(abort: (reason?: Error) => void): void {
    this.#abort = abort;
  }

  /** It has a connection that nobody waits for any more. */
  connectedLate(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    this.leaveQueue();
    abort(new ClientGone());
  }

  /** Whether the relay hears `onWait`. */
  get tellsWaits(): boolean {
    return this.#origin.engine.tellsWaits;
  }

  answered(): void {
    this.#origin.breaker?.succeeded(this.#epoch);
  }

  /** It ends for a reason that says nothing of the url. */
  abandoned(): void {
    this.#origin.breaker?.abandoned(this.#epoch);
  }

  /** An answer of ours ends it. Where it was sent it was answered, if not for the client. */
  refused(): void {
    if (this.#abort === undefined) this.abandoned();
    else this.answered();
  }

  /** A tunnel is a connection of the upstream's for as long as it lasts. */
  hold(tunnel: Duplex): void {
    this.#holds = true;
    tunnel.once('close', () => this.#letGo());
  }

  /** Ends the upstream's side for a reason of ours. False: it went on elsewhere when it was told of its end here. */
  giveUp(reason: Error): boolean {
    const origin = this.#origin;
    if (this.#abort === undefined) this.#giveUpUnsent();
    else this.#abort(reason);
    return this.#origin === origin;
  }

  #giveUpUnsent(): void {
    this.#unsent = true;
    if (this.#leave === undefined) this.#lingers = true;
    else this.#leave();
  }

  /** It has failed before it was answered: where it goes next. Undefined: nowhere. */
  failed(error: Error): Origin | undefined {
    this.#report(error);
    return this.#nextFor(error);
  }

  goTo(next: Origin): void {
    this.#origin.inFlight--;
    next.inFlight++;
    next.counts.retries++;
    // By Digest each request counts itself.
    if (next.digest === undefined) this.#exchange.attempts = (this.#exchange.attempts || 1) + 1;
    this.#origin = next;
    this.#epoch = epochOf(next);
    this.#retries--;
    this.again();
  }

  finish(): void {
    if (!this.#holds && !this.#lingers) this.#letGo();
  }

  /** Whoever had it has let it go. */
  leaveQueue(): void {
    if (this.#lingers) this.#letGo();
    this.#lingers = false;
  }

  #letGo(): void {
    this.#plan.route.upstream.inFlight--;
    this.#origin.inFlight--;
  }

  /** What a failure says of the url; what is the client's, or ours, says nothing. */
  #report(error: Error): void {
    const { breaker } = this.#origin;
    if (breaker === undefined) return;
    if (isOfUpstream(error, this.#unsent)) breaker.failed(this.#epoch, this.#exchange.shared.clock.monotonic());
    else breaker.abandoned(this.#epoch);
  }

  #nextFor(error: Error): Origin | undefined {
    if (this.#retries === 0 || this.#unsent || this.#exchange.gone) return undefined;
    const { upstream } = this.#plan.route;
    const where = whereAgain(error, {
      head: this.#exchange.head,
      isSent: this.#abort !== undefined,
      isTouched: this.#sent.body?.destroyed === true,
      isHandshake: this.#sent.isHandshake,
    });
    if (where === 'nowhere' || (where === 'elsewhere' && upstream.origins.length === 1)) return undefined;
    const next = upstream.choose(this.#origin);
    if (where === 'anywhere' || next !== this.#origin) return next;
    next.breaker?.abandoned(next.breaker.epoch);
    return undefined;
  }
}

function epochOf({ breaker }: Origin): number {
  return breaker === undefined ? 0 : breaker.epoch;
}

function nothing(): void {}
