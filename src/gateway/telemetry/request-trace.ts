import {
  type Context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Outcome } from '../decide/outcome.ts';
import { isCode } from '../message/codes.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import type { Decision } from './decision-record.ts';
import { forwardAttributes, routeText, spanName } from './span-attributes.ts';
import { TRACE_FIELDS } from './trace-context.ts';

/** The fields that tell the upstream its parent span. */
export interface Propagated {
  /** Name, value, name, value, …; names in lower case. */
  readonly fields: readonly string[];
  /** The client's fields that these replace. */
  readonly replaced: ReadonlySet<string>;
}

/** How the last request to an upstream ended, or how the client was answered. */
interface Ending {
  /** Undefined: there was no answer. */
  readonly status: number | undefined;
  readonly error: string | undefined;
  readonly isFailure: boolean;
}

/** The spans of one request: the request's own span, and child spans for the slow steps. */
export class RequestTrace {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #context: Context;
  #wait: Span | undefined;
  #forward: Span | undefined;
  /** Requests to upstreams so far. */
  #sent = 0;
  #upstreamStatus: number | undefined;
  #cut: Decision['code'] | undefined;

  /** `context` contains `span`. */
  constructor(tracer: Tracer, span: Span, context: Context) {
    this.#tracer = tracer;
    this.#span = span;
    this.#context = context;
  }

  /** Undefined: the SDK provides no id. */
  get traceId(): string | undefined {
    const context = this.#span.spanContext();
    return isSpanContextValid(context) ? context.traceId : undefined;
  }

  /** The request begins to wait for the decision. */
  verifying(): void {
    this.#wait = this.#tracer.startSpan('verify', {}, this.#context);
  }

  /** Undefined: the caller has left. */
  verified(outcome: Outcome | undefined): void {
    if (this.#wait === undefined) return;
    const isFailure = outcome?.kind === 'unavailable';
    end(this.#wait, { status: undefined, error: isFailure ? outcome.code : undefined, isFailure });
    this.#wait = undefined;
  }

  /** Each attempt has its own span. */
  forwarding(method: string, target: string, origin: UpstreamUrl): Propagated | undefined {
    this.tried(undefined);
    const attributes = forwardAttributes(method, target, origin);
    if (this.#sent > 0) attributes['http.request.resend_count'] = this.#sent;
    this.#sent++;
    this.#forward = this.#tracer.startSpan(spanName(method), { kind: SpanKind.CLIENT, attributes }, this.#context);
    return propagate(trace.setSpan(this.#context, this.#forward));
  }

  /** The head of an upstream's answer has arrived. */
  answered(status: number): void {
    this.#upstreamStatus = status;
  }

  /** The answer ends early, for this reason. */
  cut(code: Decision['code']): void {
    this.#cut = code;
  }

  /** Ends one attempt. `error`: why there was no complete answer. */
  tried(error: Decision['code'] | undefined): void {
    if (this.#forward === undefined) return;
    const status = this.#upstreamStatus;
    const isFailure = error !== undefined || (status !== undefined && status >= 400);
    end(this.#forward, { status, error: error ?? (isFailure ? String(status) : undefined), isFailure });
    this.#forward = undefined;
    this.#upstreamStatus = undefined;
  }

  end(decision: Decision): void {
    const { outcome, head, code } = decision;
    const error = this.#cut ?? errorOf(code);
    // An asking proxy answers the client in its own words.
    const status = head.origin.via === undefined ? decision.status : undefined;
    const isFailure = this.#cut !== undefined || (status !== undefined && status >= 500);
    this.verified(undefined);
    this.tried(error);
    const route = routeText(outcome?.route);
    if (route !== undefined) this.#span.updateName(spanName(head.method, route)).setAttribute('http.route', route);
    end(this.#span, { status, error: error ?? (isFailure ? String(status) : undefined), isFailure });
  }
}

function errorOf(code: Decision['code']): Decision['code'] | undefined {
  return isCode(code) || code === 'client_gone' ? code : undefined;
}

function end(span: Span, { status, error, isFailure }: Ending): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (error !== undefined) span.setAttribute('error.type', error);
  if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** In the format that the SDK is configured for. Undefined: in none. */
function propagate(context: Context): Propagated | undefined {
  const fields: string[] = [];
  const replaced = new Set<string>();
  propagation.inject(context, fields, {
    set(into, name, value) {
      const lower = name.toLowerCase();
      into.push(lower, value);
      replaced.add(lower);
    },
  });
  // The upstream has one parent. A `tracestate` is valid only with the `traceparent` that it came with.
  for (const name of TRACE_FIELDS) replaced.add(name);
  return fields.length === 0 ? undefined : { fields, replaced };
}
