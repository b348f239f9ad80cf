import { type Origin, type RequestHead, readHead } from '../../message/request-head.ts';
import { OURS } from '../../message/reserved-headers.ts';
import type { Original } from './decision-request.ts';
import type { Dialect } from './dialects.ts';

/** Stands for an unknown address. It is not a loopback address, and all clients without one share their limits. */
const UNKNOWN = '0.0.0.0';

export interface OriginalRequest {
  readonly original: Original;
  /** From the decision request of a trusted proxy. */
  readonly origin: Origin;
  /** Whether X-Forwarded-For tells of the client. */
  readonly isClientTold: boolean;
  readonly dialect: Dialect;
  readonly rawHeaders: readonly string[];
}

/**
 * The head of the request that is asked about. What belongs to the way from the proxy to us is no part of it: its length,
 * its connection, and the headers that only tell. Nothing else in it speaks for a proxy any more.
 */
export function originalHead({ original, origin, isClientTold, dialect, rawHeaders }: OriginalRequest): RequestHead {
  const { method, target, host, secure } = original;
  const address = isClientTold ? origin.address : UNKNOWN;
  const { chain, requestId } = origin;
  return readHead({
    method,
    target,
    version: '1.1',
    origin: { address, secure, chain, host: undefined, requestId, isProxied: false, via: dialect.via },
    rawHeaders: [...(host === undefined ? [] : ['host', host]), ...ownOf(rawHeaders, dialect)],
  });
}

/** Connection too: a proxy that passes the client's on goes by it, and takes away what it names before it forwards. */
const KEPT: ReadonlySet<string> = new Set(['host', 'connection']);

function ownOf(rawHeaders: readonly string[], { tells }: Dialect): readonly string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? '';
    return !tells.has(name) && (KEPT.has(name) || !OURS.has(name));
  });
}
