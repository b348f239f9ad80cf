import { propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { Test } from 'tap';
import { until } from './until.ts';

/** A span, with the fields that tests check. */
export interface Told {
  readonly name: string;
  readonly kind: string;
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: string;
}

export interface Spans {
  /** The spans of the next requests, once so many server spans have ended, in the order of their starts. */
  of(requests?: number): Promise<readonly Told[]>;
  /** Everything in them that an exporter would get, as text. */
  text(): string;
}

/** The path below which a sampler drops new traces. */
export const UNSAMPLED = '/public/unsampled';

/** Reads what is known of a request at its start, as users' samplers do. */
const sampler: Sampler = {
  shouldSample(_context, _trace, _name, _kind, attributes) {
    const path = String(attributes['url.path'] ?? attributes['url.full'] ?? '');
    const decision = path.includes(UNSAMPLED) ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED;
    return { decision };
  },
  toString: () => 'by path',
};

/** A real SDK in this process, as `--import` loads it. It keeps its exports in memory, and is closed after the test. */
export function collectSpans(t: Test): Spans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  t.teardown(async () => {
    await provider.shutdown();
    trace.disable();
    propagation.disable();
  });
  const ended = () => exporter.getFinishedSpans();
  return {
    async of(requests = 1) {
      const done = () => ended().filter(({ kind }) => kind === SpanKind.SERVER).length >= requests;
      if (!(await until(done)))
        throw new Error(`${requests} requests, and of spans only ${JSON.stringify(told(ended()))}`);
      return told(ended());
    },
    text: () => JSON.stringify(ended().map(plain)),
  };
}

function told(spans: readonly ReadableSpan[]): readonly Told[] {
  const at = ({ startTime: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1e9 + nanoseconds;
  return spans.toSorted((one, other) => at(one) - at(other) || rank(one) - rank(other)).map(tell);
}

/** For spans that start in the same moment, a parent comes before its children. */
function rank({ kind }: ReadableSpan): number {
  return kind === SpanKind.SERVER ? 0 : 1;
}

function tell(span: ReadableSpan): Told {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    kind: (SpanKind[span.kind] as string).toLowerCase(),
    trace: traceId,
    id: spanId,
    parent: span.parentSpanContext?.spanId,
    attributes: span.attributes,
    status: (SpanStatusCode[span.status.code] as string).toLowerCase(),
  };
}

function plain({ name, attributes, status, events, links, resource, instrumentationScope }: ReadableSpan) {
  return { name, attributes, status, events, links, resource: resource.attributes, instrumentationScope };
}
