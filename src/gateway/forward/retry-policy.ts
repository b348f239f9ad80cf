import type { RequestHead } from '../message/request-head.ts';
import { ForeignAnswer } from '../upstreams/own/invalid-answer.ts';
import { ourReason, ResponseTimeout } from './abort-reasons.ts';
import { upstreamFault, wasCut } from './upstream-fault.ts';

/** RFC 9110 §9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** A request that failed before its answer began. */
export interface FailedAttempt {
  readonly head: RequestHead;
  /** undici calls `onConnect` before the first byte: without it nothing was sent. */
  readonly isSent: boolean;
  /** A part of its body was read and discarded. */
  readonly isTouched: boolean;
  readonly isHandshake: boolean;
}

/**
 * Where a request may be sent again. What was sent goes on only if it is idempotent and has no body, and to the same url
 * only where a kept connection may have ended in the moment in which it was used (RFC 9112 §9.3.1), or where another engine
 * reads what it answers.
 */
export function retryTarget(error: Error, failed: FailedAttempt): 'anywhere' | 'elsewhere' | 'nowhere' {
  const isSilence = error instanceof ResponseTimeout;
  if (!isSilence && ourReason(error) !== undefined) return 'nowhere';
  if (!failed.isSent) return failed.isTouched ? 'nowhere' : 'elsewhere';
  if (failed.isHandshake || failed.head.hasBody || !IDEMPOTENT.has(failed.head.method)) return 'nowhere';
  // undici, which would read it, sends no request for `*`.
  if (error instanceof ForeignAnswer) return failed.head.target === '*' ? 'nowhere' : 'anywhere';
  if (wasCut(error)) return 'anywhere';
  return isSilence || upstreamFault(error) === 'upstream_timeout' ? 'elsewhere' : 'nowhere';
}

/** Whether a failure speaks against the url. `isQueued`: the request waited for a connection, which says nothing of it. */
export function isOfUpstream(error: Error, isQueued: boolean): boolean {
  if (error instanceof ResponseTimeout) return !isQueued;
  if (error instanceof ForeignAnswer) return false;
  return ourReason(error) === undefined && upstreamFault(error) !== 'internal_error';
}
