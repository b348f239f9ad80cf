import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { LimitsConfig } from '../config/gateway.ts';
import type { Code } from './codes.ts';
import type { CrossOrigin } from './cross-origin.ts';
import type { Decision, Decisions } from './decisions.ts';
import { discardUpload } from './discard.ts';
import type { Forward, Outcome } from './outcome.ts';
import { type Answer, answer } from './refuse.ts';
import type { Origin, RequestHead } from './request-head.ts';
import type { Stalls } from './stalls.ts';
import type { Peer } from './trusted-proxies.ts';

/** What every exchange of one listener shares. */
export interface Shared {
  readonly clock: Clock;
  readonly log: Logger;
  readonly decisions: Decisions;
  readonly stalls: Stalls;
  readonly limits: LimitsConfig;
  readonly originOf: (peer: Peer) => Origin;
  /** Undefined: no page of another origin may call. */
  readonly crossOrigin: CrossOrigin | undefined;
  /** As configured, for answers; and in lower case, for comparison. */
  readonly requestIdHeader: string;
  readonly requestIdHeaderLower: string;
  /** True once the listener is closing: every answer is then the connection's last. */
  draining: boolean;
}

/** One request and the answer to it, on the client's side. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  readonly shared: Shared;
  readonly #start: number;
  #expectsContinue: boolean;
  #recorded = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    head: RequestHead,
    requestId: string,
    expectsContinue: boolean,
    shared: Shared,
  ) {
    this.request = request;
    this.response = response;
    this.head = head;
    this.requestId = requestId;
    this.shared = shared;
    this.#expectsContinue = expectsContinue;
    this.#start = shared.clock.monotonic();
    if (shared.draining) response.shouldKeepAlive = false;
  }

  /** The client left, or its connection broke. */
  get gone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  /** RFC 9110 §10.1.1: asked for the body only once the decision is to read it. */
  inviteBody(): void {
    if (!this.#expectsContinue) return;
    this.#expectsContinue = false;
    this.response.writeContinue();
  }

  /** Answers in our own name; a no-op when an answer has begun or nobody is there to read it. */
  settle(outcome: Exclude<Outcome, Forward>): void {
    if (outcome.kind === 'reply') {
      this.record('answered', outcome);
      this.#write(outcome);
      return;
    }
    const retryAfter = outcome.kind === 'unavailable' ? outcome.outage.retryAfter : undefined;
    const challenges = outcome.kind === 'refuse' ? outcome.challenges : [];
    const allow = outcome.kind === 'refuse' ? outcome.allow : undefined;
    this.record(outcome.code, outcome);
    this.#write(answer(outcome.code, { challenges, allow, retryAfter, requestId: this.#identification() }));
  }

  /** The decision was to forward, and it could not be done. */
  fail(code: Code, plan: Forward | undefined, detail: string, retryAfter?: number): void {
    this.record(code, plan, detail);
    this.#write(answer(code, { retryAfter, requestId: this.#identification() }));
  }

  record(code: Decision['code'], outcome: Outcome | undefined, detail?: string): void {
    if (this.#recorded) return;
    this.#recorded = true;
    const milliseconds = this.shared.clock.monotonic() - this.#start;
    this.shared.decisions.record({ code, outcome, head: this.head, requestId: this.requestId, milliseconds, detail });
  }

  #identification() {
    return { header: this.shared.requestIdHeader, value: this.requestId };
  }

  #write(own: Answer): void {
    if (this.response.headersSent || this.gone) return;
    if (bodyPending(this.request)) setImmediate(() => this.#writeAfterUpload(own));
    else this.#end(own);
  }

  /** A small body arrives in the turn of its head: only one that is still to come costs the connection. */
  #writeAfterUpload(own: Answer): void {
    if (this.response.headersSent || this.gone) return;
    if (!bodyPending(this.request)) this.#end(own);
    else discardUpload(this.request, this.response, own);
  }

  #end(own: Answer): void {
    const { crossOrigin } = this.shared;
    const headers = crossOrigin === undefined ? own.headers : [...own.headers, ...crossOrigin.answer(this.head)];
    this.response.writeHead(own.status, headers as string[]);
    this.response.end(this.request.method === 'HEAD' ? undefined : own.body);
  }
}

function bodyPending(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
