import { type Context, ProxyTracer, propagation, ROOT_CONTEXT, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import type { RequestHead } from '../message/request-head.ts';
import { valuesOf } from '../routing/match-conditions.ts';
import { RequestTrace } from './request-trace.ts';
import { requestAttributes, spanName } from './span-attributes.ts';
import { traceIdOf } from './trace-context.ts';

/** Makes spans, for an SDK of OpenTelemetry that the user loads. */
export interface Tracing {
  /** The server span of a request, below the span that the request names. */
  begin(head: RequestHead): RequestTrace;
}

/** Undefined: there is no SDK, and a request costs nothing more than to see that. One that is loaded later is found by the next call. */
export function openTracing(): Tracing | undefined {
  const tracer = trace.getTracer('gatehouse');
  // The API's own result while no provider is registered.
  return tracer instanceof ProxyTracer ? undefined : { begin: (head) => begin(tracer, head) };
}

function begin(tracer: Tracer, head: RequestHead): RequestTrace {
  const parent = contextOf(head);
  const options = { kind: SpanKind.SERVER, attributes: requestAttributes(head) };
  const span = tracer.startSpan(spanName(head.method), options, parent);
  return new RequestTrace(tracer, span, trace.setSpan(parent, span));
}

/** In the SDK's configured form. */
function contextOf(head: RequestHead): Context {
  return propagation.extract(ROOT_CONTEXT, head, {
    get: (from, name) => textOf(from, name.toLowerCase()),
    keys: ({ fields }) => fields.filter((_, index) => index % 2 === 0),
  });
}

function textOf(head: RequestHead, name: string): string | undefined {
  if (name === 'traceparent' && traceIdOf(head) === undefined) return undefined;
  const values = valuesOf(head, name);
  return values.length === 0 ? undefined : values.join(',');
}
