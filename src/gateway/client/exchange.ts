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
import { decidedBeforeRest } from './pending-response.ts';
import { problemMembers } from './problem-members.ts';
import { type OwnAnswer, type ProblemDetails, problemResponse } from './problem-response.ts';
import { refusedMessage } from './refused-message.ts';
import { RequestBody } from './request-body.ts';
import type { Stalls } from './stalls.ts';
import type { Peer } from './trusted-proxies.ts';

/** One object for the process. All generations share it. */
export interface ListenerState {
  draining: boolean;
  readonly tunnels: Set<Socket>;
  /** Each call ends a stream that would stay open until its client leaves. */
  readonly listening: Set<() => void>;
  /** Connections over HTTP/2. `close` tells the client that the gateway accepts no more requests. */
  readonly sessions: Set<{ close(): void }>;
  readonly doomed: WeakSet<ClientConnection>;
  /** HTTP/1.1 connections that end with their next answer. */
  readonly leaving: WeakSet<ClientConnection>;
  /** HTTP/1.1 connections whose clients were asked for a certificate. */
  readonly proved: Set<Socket>;
  /** Connections in their TLS handshake. */
  readonly shaking: { watch(server: Server): void; end(): void };
}

/** Objects that all exchanges of one generation share. */
export interface Shared {
  readonly clock: Clock;
  readonly log: Logger;
  readonly decisions: Decisions;
  readonly tickets: Tickets;
  /** Undefined: tracing is off. */
  readonly tracing: Tracing | undefined;
  readonly stalls: Stalls;
  /** One object for the process. */
  readonly deadlines: Deadlines;
  /** The memory for held bodies: one object for the process. */
  readonly bodies: EntityBudget;
  /** One object for the process. */
  readonly fullShares: FullShares;
  readonly limits: LimitsConfig;
  readonly originOf: (peer: Peer) => Origin;
  /** The gateway judges a request by the X-Forwarded-Host of a trusted proxy, and not by Host. */
  readonly isHostForwarded: boolean;
  /** Undefined: pages of other origins have no access. */
  readonly crossOrigin: CrossOrigin | undefined;
  /** As configured, for answers. The lower-case form is for comparison. */
  readonly requestIdHeader: string;
  readonly requestIdHeaderLower: string;
  /** Draining once the listener closes: every answer is then the last one of its connection. */
  readonly listener: ListenerState;
  /** Belongs to the generation, which lives until its last exchange is recorded. */
  readonly lease: Lease;
}

/**
 * Unique request ids: a random part for this process, and a counter. They are cheap, because every request needs one.
 */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

/** One request and its answer, on the client's side. */
export class Exchange {
  readonly request: ClientRequest;
  readonly response: ClientResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  readonly shared: Shared;
  /** Undefined: tracing is off. */
  readonly trace: RequestTrace | undefined;
  /**
   * How often the gateway sent the request. 0 if the gateway cannot repeat it and the upstream does not require Digest.
   */
  attempts = 0;
  /** Bytes of the answer's body so far. */
  bytesOut = 0;
  /** What the gateway answered in its own name. Undefined: it forwards the request, failed, or has not decided yet. */
  settled: Exclude<Outcome, Forward> | undefined;
  readonly #start: number;
  #expectsContinue: boolean;
  /** Monotonic time. Undefined: the gateway did not forward the request. */
  #forwardedAt: number | undefined;
  #answeredAt: number | undefined;
  /** The client's status. Undefined: no answer has begun. */
  #status: number | undefined;
  /** The client's body, once the gateway reads it. */
  #body: RequestBody | undefined;
  /** Bytes of a body that had already arrived as a whole, so no `RequestBody` read it. */
  #taken = 0;
  /** Milliseconds that are not the gateway's own work: credential verification, and reading the client's form. */
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

  /** The client has left, or its connection broke. */
  get gone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  /** The client waits for a 100 before it sends the body. */
  get expectsContinue(): boolean {
    return this.#expectsContinue;
  }

  /** RFC 9110 §10.1.1: asks for the body once the gateway decides to read it. */
  inviteBody(): void {
    if (!this.#expectsContinue) return;
    this.#expectsContinue = false;
    this.response.writeContinue();
  }

  /** The client's body, up to `limit` bytes. A second call begins with the bytes that were given back. */
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

  /** Notes when the request is forwarded, for its times. */
  forwarding(): void {
    this.#forwardedAt = this.shared.clock.monotonic();
  }

  /** Call it before writing any head. The last answer of a connection must say so (RFC 9112 §9.6). */
  beforeHead(): void {
    const { draining, leaving } = this.shared.listener;
    if (draining || leaving.has(this.request.socket)) this.response.shouldKeepAlive = false;
  }

  /** The upstream answered with this status. */
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
    this.settled = outcome;
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
   * Notes the status and size of the gateway's own answer, because the record is made before the answer is sent. Does
   * nothing if the client has left or already has an answer.
   */
  answering({ status, body }: OwnAnswer): void {
    if (this.response.headersSent || this.gone) return;
    this.#status = status;
    this.bytesOut = this.request.method === 'HEAD' ? 0 : Buffer.byteLength(body);
  }

  /** Records that the request does not pass, and makes the answer. `tell` converts the answer to its final form. */
  refusal(outcome: Refuse | Unavailable, tell?: (own: OwnAnswer) => OwnAnswer): OwnAnswer {
    const decision = this.#conclude(outcome.code, outcome);
    const rpc = refusedMessage(this.head, outcome);
    return this.#answerBy(decision, { code: outcome.code, details: { ...detailsOf(outcome), rpc }, tell });
  }

  /** This answer is the last one of the connection. Later bytes are not a request. */
  #close(): void {
    this.response.shouldKeepAlive = false;
    this.shared.listener.doomed.add(this.request.socket);
  }

  /** The gateway decided to forward, but could not. */
  fail(code: Code, plan: Forward | undefined, detail: string, retryAfter?: number): void {
    this.settled = undefined;
    const decision = this.#conclude(code, plan, detail);
    try {
      const rpc = plan && refusedMessage(this.head, { code, call: plan.call });
      this.#write(this.#answerBy(decision, { code, details: { retryAfter, rpc } }));
    } finally {
      // Nothing comes after this. If no answer is possible, the decision is recorded anyway, so that its generation can
      // end.
      this.#tell(decision);
    }
  }

  /** Does nothing if the decision is already recorded. */
  record(code: Decision['code'], outcome: Outcome | undefined, detail?: string, isCut = false): void {
    this.#tell(this.#conclude(code, outcome, detail, isCut));
  }

  /**
   * The answer's ticket contains the decision so far; the record also contains the answer. If making the answer throws,
   * nothing is recorded yet, so the exception can still be recorded.
   */
  #answerBy(decision: Concluded | undefined, { code, details, tell = asItIs }: Own): OwnAnswer {
    const own = tell(problemResponse(code, { ...details, ...this.#identification(decision) }));
    this.answering(own);
    this.#tell(decision);
    return own;
  }

  /** Undefined: the decision is already recorded. */
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

  /** What links the answer to the request: an id for the log, and a ticket for operators without the log. */
  #identification(decision: Decision | undefined) {
    const requestId = { header: this.shared.requestIdHeader, value: this.requestId };
    return decision === undefined ? { requestId } : { requestId, ticket: this.shared.tickets.seal(decision) };
  }

  #write(own: OwnAnswer): void {
    if (this.response.headersSent || this.gone) return;
    if (bodyPending(this.request)) this.#writeOnceHere(own);
    else this.#end(own);
  }

  #writeOnceHere(own: OwnAnswer): void {
    decidedBeforeRest(this.response, () => this.#endConnection(own));
    setImmediate(() => this.#writeAfterUpload(own));
  }

  /** The rest of the request is not valid. The client gets the answer that is already recorded, and no other. */
  #endConnection(own: OwnAnswer): void {
    if (this.gone) return;
    this.response.shouldKeepAlive = false;
    this.#end(own);
  }

  /** A small body arrives in the same turn as its head. Only a body that is still incomplete costs the connection. */
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

/** A decision that has no answer yet. */
type Concluded = { -readonly [Member in keyof Decision]: Decision[Member] };

/** An answer of the gateway that is not complete yet. */
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

/** Whether the unread body blocks the requests behind it. */
function bodyPending(request: ClientRequest): boolean {
  if (request.complete) return false;
  const { headers } = request;
  const has = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  return has && request.standsAlone !== true;
}

/** Which counter by address refused this request, if one did. */
function countedBy({ code, route }: { readonly code: Code; readonly route?: Route | undefined }) {
  if (code === 'login_throttled' || code === 'passwords_saturated') return 'login';
  return code === 'rate_limited' && route?.rateLimit?.byAddress ? 'rate_limit' : undefined;
}
