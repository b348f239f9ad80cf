import { randomBytes } from 'node:crypto';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { LimitsConfig } from '../../config/schema/gateway.ts';
import type { CrossOrigin } from '../decide/cross-origin.ts';
import type { Forward, Outcome, Refuse, Unavailable } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { type Code, entry } from '../message/codes.ts';
import type { Lease } from '../message/lease.ts';
import type { Origin, RequestHead } from '../message/request-head.ts';
import type { Decision, Decisions } from '../telemetry/decisions.ts';
import type { FullShares } from '../telemetry/full-shares.ts';
import type { RequestTrace } from '../telemetry/request-trace.ts';
import type { Tickets } from '../telemetry/tickets.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { ClientConnection, ClientRequest, ClientResponse } from './client-message.ts';
import type { Deadlines } from './deadlines.ts';
import { discardUpload } from './discard.ts';
import type { EntityBudget } from './entity-budget.ts';
import { problemMembers } from './problem-members.ts';
import { type OwnAnswer, type ProblemDetails, problemResponse } from './problem-response.ts';
import { RequestBody } from './request-body.ts';
import type { Stalls } from './stalls.ts';
import type { Peer } from './trusted-proxies.ts';

/** One for the process, shared by all generations. */
export interface ListenerState {
  draining: boolean;
  readonly tunnels: Set<Socket>;
  /** Connections over HTTP/2; `close` tells the client that no more requests are taken. */
  readonly sessions: Set<{ close(): void }>;
  readonly doomed: WeakSet<ClientConnection>;
  /** Connections over HTTP/1.1 that end with their next answer. */
  readonly leaving: WeakSet<ClientConnection>;
  /** Connections over HTTP/1.1 whose clients were asked for a certificate. */
  readonly proved: Set<Socket>;
  /** Those whose handshake is under way. */
  readonly shaking: { watch(server: Server): void; end(): void };
}

/** What every exchange under one generation shares. */
export interface Shared {
  readonly clock: Clock;
  readonly log: Logger;
  readonly decisions: Decisions;
  readonly tickets: Tickets;
  /** Undefined: tracing is off. */
  readonly tracing: Tracing | undefined;
  readonly stalls: Stalls;
  /** One for the process, too. */
  readonly deadlines: Deadlines;
  /** One for the process: the memory for held bodies. */
  readonly bodies: EntityBudget;
  /** One for the process, too. */
  readonly fullShares: FullShares;
  readonly limits: LimitsConfig;
  readonly originOf: (peer: Peer) => Origin;
  /** By the X-Forwarded-Host of a trusted proxy it is judged, and not by Host. */
  readonly isHostForwarded: boolean;
  /** Undefined: no page of another origin may call. */
  readonly crossOrigin: CrossOrigin | undefined;
  /** As configured, for answers; and in lower case, for comparison. */
  readonly requestIdHeader: string;
  readonly requestIdHeaderLower: string;
  /** Draining once the listener is closing: every answer is then the connection's last. */
  readonly listener: ListenerState;
  /** From the generation, which lives until its last exchange is recorded. */
  readonly lease: Lease;
}

/** Unique request ids: a random part for this process, and a count. Cheap, since every request has one. */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

/** One request and the answer to it, on the client's side. */
export class Exchange {
  readonly request: ClientRequest;
  readonly response: ClientResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  readonly shared: Shared;
  /** Undefined: tracing is off. */
  readonly trace: RequestTrace | undefined;
  /** How often the request was sent, where it was sent again or may be: to an upstream that wants Digest. 0 for any other. */
  attempts = 0;
  /** Bytes of the answer's body that the client was given so far. */
  bytesOut = 0;
  readonly #start: number;
  #expectsContinue: boolean;
  /** Monotonic time; undefined: it did not come to that. */
  #forwardedAt: number | undefined;
  #answeredAt: number | undefined;
  /** The status that the client gets. Undefined: no answer has begun. */
  #status: number | undefined;
  /** The client's body, once it is read. */
  #body: RequestBody | undefined;
  /** Bytes of a body that needed no reader. */
  #taken = 0;
  /** Milliseconds that were not our own work: for the credential's verification, and for the client's form. */
  #verification: number | undefined;
  #waited = 0;
  #recorded = false;

  constructor(
    request: ClientRequest,
    response: ClientResponse,
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
    this.trace = shared.tracing?.begin(head);
    shared.lease.take();
  }

  /** The client left, or its connection broke. */
  get gone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  /** The client sends no body before it is asked for it. */
  get expectsContinue(): boolean {
    return this.#expectsContinue;
  }

  /** RFC 9110 §10.1.1: asked for the body only once the decision is to read it. */
  inviteBody(): void {
    if (!this.#expectsContinue) return;
    this.#expectsContinue = false;
    this.response.writeContinue();
  }

  /** The client's body, of `limit` bytes at most. Called again, it begins with what was given back. */
  readBody(limit: number): RequestBody {
    this.#body = new RequestBody(this.request, limit);
    return this.#body;
  }

  /** The client's whole body, if it is here. Undefined: it must be read. */
  takeBody(): Buffer | undefined {
    const { whole } = this.request;
    this.#taken = whole?.length ?? 0;
    return whole;
  }

  /** Marks on the way of the request, for its times. */
  forwarding(): void {
    this.#forwardedAt = this.shared.clock.monotonic();
  }

  /** To be called before the head of any answer is written: the last one of a connection says so (RFC 9112 §9.6). */
  beforeHead(): void {
    const { draining, leaving } = this.shared.listener;
    if (draining || leaving.has(this.request.socket)) this.response.shouldKeepAlive = false;
  }

  /** By the upstream, with this status. */
  answered(status: number): void {
    this.trace?.answered(status);
    this.#status = status;
    this.#answeredAt = this.shared.clock.monotonic();
  }

  verifiedSince(start: number, outcome: Outcome): void {
    this.trace?.verified(outcome);
    this.#verification = this.shared.clock.monotonic() - start;
  }

  waitedSince(start: number): void {
    this.#waited = this.shared.clock.monotonic() - start;
  }

  /** Answers in the gateway's name. Does nothing if an answer has begun or the client has left. */
  settle(outcome: Exclude<Outcome, Forward>): void {
    if (outcome.kind === 'reply') {
      this.answering(outcome);
      this.record('answered', outcome);
      this.#write(outcome);
      return;
    }
    if (entry(outcome.code).closes === true) this.#close();
    const counted = countedBy(outcome);
    if (counted !== undefined) this.shared.fullShares.refused(counted, this.head);
    this.#write(this.refusal(outcome));
  }

  /**
   * The gateway's own answer follows. This notes it for the record, which is made first. A client that left or has an answer
   * gets none.
   */
  answering({ status, body }: OwnAnswer): void {
    if (this.response.headersSent || this.gone) return;
    this.#status = status;
    this.bytesOut = this.request.method === 'HEAD' ? 0 : Buffer.byteLength(body);
  }

  /** Records that the request does not pass, and makes the answer that says so. `tell`: in the words in which it goes out. */
  refusal(outcome: Refuse | Unavailable, tell?: (own: OwnAnswer) => OwnAnswer): OwnAnswer {
    const decision = this.#conclude(outcome.code, outcome);
    return this.#answerBy(decision, { code: outcome.code, details: detailsOf(outcome), tell });
  }

  /** This answer is the connection's last one. Bytes after the request are not a request. */
  #close(): void {
    this.response.shouldKeepAlive = false;
    this.shared.listener.doomed.add(this.request.socket);
  }

  /** The decision was to forward, and it could not be done. */
  fail(code: Code, plan: Forward | undefined, detail: string, retryAfter?: number): void {
    const decision = this.#conclude(code, plan, detail);
    try {
      this.#write(this.#answerBy(decision, { code, details: { retryAfter } }));
    } finally {
      // Nothing comes after this: where no answer can be made it is recorded all the same, and its generation may end.
      this.#tell(decision);
    }
  }

  /** A no-op where it was recorded before. */
  record(code: Decision['code'], outcome: Outcome | undefined, detail?: string, isCut = false): void {
    this.#tell(this.#conclude(code, outcome, detail, isCut));
  }

  /** The ticket in an answer is the decision so far; the record knows the answer. A throw leaves it to be recorded. */
  #answerBy(decision: Concluded | undefined, { code, details, tell = asItIs }: Own): OwnAnswer {
    const own = tell(problemResponse(code, { ...details, ...this.#identification(decision) }));
    this.answering(own);
    this.#tell(decision);
    return own;
  }

  /** Undefined: it was recorded before. */
  #conclude(
    code: Decision['code'],
    outcome: Outcome | undefined,
    detail?: string,
    isCut = false,
  ): Concluded | undefined {
    if (this.#recorded) return undefined;
    const now = this.shared.clock.monotonic();
    const forwardedAt = this.#forwardedAt;
    return {
      code,
      outcome,
      head: this.head,
      requestId: this.requestId,
      status: undefined,
      bytesIn: 0,
      bytesOut: 0,
      milliseconds: now - this.#start,
      detail,
      isCut,
      gateway: (forwardedAt ?? now) - this.#start - this.#waited - (this.#verification ?? 0),
      verification: this.#verification,
      attempts: this.attempts || undefined,
      traceId: this.trace?.traceId,
      upstream: this.#answeredAt === undefined ? undefined : this.#answeredAt - (forwardedAt ?? this.#answeredAt),
    };
  }

  #tell(decision: Concluded | undefined): void {
    if (decision === undefined || this.#recorded) return;
    this.#recorded = true;
    decision.status = this.#status;
    decision.bytesIn = this.#body?.received ?? this.#taken;
    decision.bytesOut = this.bytesOut;
    try {
      this.shared.decisions.record(decision);
      this.trace?.end(decision);
    } finally {
      this.shared.lease.release();
    }
  }

  /** How the answer leads back to the request: an id for the log, a ticket for who has none. */
  #identification(decision: Decision | undefined) {
    const requestId = { header: this.shared.requestIdHeader, value: this.requestId };
    return decision === undefined ? { requestId } : { requestId, ticket: this.shared.tickets.seal(decision) };
  }

  #write(own: OwnAnswer): void {
    if (this.response.headersSent || this.gone) return;
    if (bodyPending(this.request)) setImmediate(() => this.#writeAfterUpload(own));
    else this.#end(own);
  }

  /** A small body arrives in the turn of its head: only one that is still to come costs the connection. */
  #writeAfterUpload(own: OwnAnswer): void {
    if (this.response.headersSent || this.gone) return;
    if (!bodyPending(this.request)) this.#end(own);
    else discardUpload(this.request, this.response, { ...own, headers: this.#headersOf(own) });
  }

  #headersOf({ headers }: OwnAnswer): readonly string[] {
    const { crossOrigin } = this.shared;
    return crossOrigin === undefined ? headers : [...headers, ...crossOrigin.answer(this.head)];
  }

  #end(own: OwnAnswer): void {
    this.beforeHead();
    this.response.writeHead(own.status, this.#headersOf(own) as string[]);
    this.response.end(this.request.method === 'HEAD' ? undefined : own.body);
  }
}

/** A decision whose answer is still to be made. */
type Concluded = { -readonly [Member in keyof Decision]: Decision[Member] };

/** An answer of ours that is still to be made. */
interface Own {
  readonly code: Code;
  readonly details: ProblemDetails;
  readonly tell?: ((own: OwnAnswer) => OwnAnswer) | undefined;
}

function asItIs(own: OwnAnswer): OwnAnswer {
  return own;
}

function detailsOf(outcome: Refuse | Unavailable): ProblemDetails {
  if (outcome.kind === 'unavailable') return { retryAfter: outcome.outage.retryAfter };
  const { challenges, allow, retryAfter } = outcome;
  return { challenges, allow, retryAfter, said: problemMembers(outcome) };
}

/** Whether it blocks the requests behind it. */
function bodyPending(request: ClientRequest): boolean {
  if (request.complete) return false;
  const { headers } = request;
  const has = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  return has && request.standsAlone !== true;
}

/** What counts requests by their address, where this one was refused by it. */
function countedBy({ code, route }: { readonly code: Code; readonly route?: Route | undefined }) {
  if (code === 'login_throttled' || code === 'passwords_saturated') return 'login';
  return code === 'rate_limited' && route?.rateLimit?.byAddress ? 'rate_limit' : undefined;
}
