import { type Context, ProxyTracer, propagation, ROOT_CONTEXT, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { type RequestHead, valuesOf } from '../message/request-head.ts';
import { RequestTrace } from './request-trace.ts';
import { requestAttributes, spanName } from './span-attributes.ts';
import { traceIdOf } from './trace-context.ts';

/** Makes spans for an OpenTelemetry SDK that the operator loads. */
export interface Tracing {
  /** Starts the server span of a request, as a child of the span that the request names. */
  begin(head: RequestHead): RequestTrace;
}

/**
 * Undefined: no SDK is loaded. Then a request costs only this check. If an SDK is loaded later, the next call finds it.
 */
export function openTracing(): Tracing | undefined {
  const tracer = trace.getTracer('gatehouse');
  // The API returns a ProxyTracer while no provider is registered.
  return tracer instanceof ProxyTracer ? undefined : { begin: (head) => begin(tracer, head) };
}

function begin(tracer: Tracer, head: RequestHead): RequestTrace {
  const parent = contextOf(head);
  const options = { kind: SpanKind.SERVER, attributes: requestAttributes(head) };
  const span = tracer.startSpan(spanName(head.method), options, parent);
  return new RequestTrace(tracer, span, trace.setSpan(parent, span));
}

/** In the format that the SDK is configured for. */
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
