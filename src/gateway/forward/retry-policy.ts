import type { RequestHead } from '../message/request-head.ts';
import { ForeignAnswer } from '../upstreams/own/invalid-answer.ts';
import { ourReason, ResponseTimeout } from './abort-reasons.ts';
import { upstreamFault, wasCut } from './upstream-fault.ts';

/** RFC 9110 §9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** A request that failed before its answer began. */
export interface FailedAttempt {
  readonly head: RequestHead;
  /** undici calls `onConnect` before the first byte. Without this call, nothing was sent. */
  readonly isSent: boolean;
  /** The gateway read and discarded a part of its body. */
  readonly isTouched: boolean;
  readonly isHandshake: boolean;
}

/**
 * Where a request may be sent again. A request that was sent may be repeated only if it is idempotent and has no body.
 * It may go to the same URL in two cases: the kept connection may have ended just as it was used (RFC 9112 §9.3.1), or
 * another engine can read the answer.
 */
export function retryTarget(error: Error, failed: FailedAttempt): 'anywhere' | 'elsewhere' | 'nowhere' {
  const isSilence = error instanceof ResponseTimeout;
  if (!isSilence && ourReason(error) !== undefined) return 'nowhere';
  if (!failed.isSent) return failed.isTouched ? 'nowhere' : 'elsewhere';
  if (failed.isHandshake || failed.head.hasBody || !IDEMPOTENT.has(failed.head.method)) return 'nowhere';
  // Only undici can read the answer, and undici sends no request for `*`.
  if (error instanceof ForeignAnswer) return failed.head.target === '*' ? 'nowhere' : 'anywhere';
  if (wasCut(error)) return 'anywhere';
  return isSilence || upstreamFault(error) === 'upstream_timeout' ? 'elsewhere' : 'nowhere';
}

/**
 * Whether a failure counts against the URL. `isQueued`: the request still waited for a connection, so its timeout does
 * not count.
 */
export function isOfUpstream(error: Error, isQueued: boolean): boolean {
  if (error instanceof ResponseTimeout) return !isQueued;
  if (error instanceof ForeignAnswer) return false;
  return ourReason(error) === undefined && upstreamFault(error) !== 'internal_error';
}
