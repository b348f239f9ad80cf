import { type Origin, type RequestHead, readHead } from '../../message/request-head.ts';
import { OURS } from '../../message/reserved-headers.ts';
import { UNKNOWN } from './asker.ts';
import type { Original } from './decision-request.ts';
import type { Dialect } from './dialects.ts';
import { withSeparatedCredentials } from './separated-lines.ts';

export interface OriginalRequest {
  readonly original: Original;
  /** From the decision request of a trusted proxy. */
  readonly origin: Origin;
  /** Whether X-Forwarded-For contains the client's address. */
  readonly isClientTold: boolean;
  readonly dialect: Dialect;
  readonly rawHeaders: readonly string[];
}

/**
 * The head of the client's request. It excludes the decision request's own length, connection, and the headers that
 * describe the client's request. Nothing else in the head speaks for a proxy.
 */
export function originalHead({ original, origin, isClientTold, dialect, rawHeaders }: OriginalRequest): RequestHead {
  const { method, target, host, secure } = original;
  const address = isClientTold ? origin.address : UNKNOWN;
  const { chain, requestId } = origin;
  const lines = ownOf(rawHeaders, dialect);
  const own = dialect.joinsLines ? withSeparatedCredentials(lines) : lines;
  return readHead({
    method,
    target,
    version: '1.1',
    origin: { address, secure, chain, host: undefined, requestId, isProxied: false, via: dialect.via },
    rawHeaders: [...(host === undefined ? [] : ['host', host]), ...own],
  });
}

/** Connection stays, too: a proxy that forwards the client's Connection removes the headers that it names. */
const KEPT: ReadonlySet<string> = new Set(['host', 'connection']);

function ownOf(rawHeaders: readonly string[], { tells }: Dialect): readonly string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? '';
    return !tells.has(name) && (KEPT.has(name) || !OURS.has(name));
  });
}
