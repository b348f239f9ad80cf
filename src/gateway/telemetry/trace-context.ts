import type { RequestHead } from '../message/request-head.ts';

/** The fields of W3C Trace Context (§3.2, §3.3), in lower case. */
export const TRACE_FIELDS: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

/** §3.2.2: lower case, and ids that are not all zeros. A later version may append more fields. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

type Traced = Pick<RequestHead, 'traceparent' | 'tracestate'>;

/** The trace that the request belongs to. Undefined: it names none, names two, or breaks the form of §3.2.2. */
export function traceIdOf({ traceparent }: Traced): string | undefined {
  if (traceparent?.lines !== 1) return undefined;
  const [, version, id, more] = TRACEPARENT.exec(traceparent.value) ?? [];
  return version === '00' && more !== undefined ? undefined : id;
}

/** Whether the trace headers of a request must be dropped (§3.2.2, §3.3). A `tracestate` alone means nothing. */
export function isTraceBroken(head: Traced): boolean {
  if (head.traceparent === undefined && head.tracestate === undefined) return false;
  return traceIdOf(head) === undefined;
}
