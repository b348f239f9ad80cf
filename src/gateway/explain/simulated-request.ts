import { type ReceivedRequest, type RequestHead, readHead } from '../message/request-head.ts';
import { EXPECT_CONTENT } from '../upstreams/own/request-head.ts';

/** A simulated request: the engine decides about it, and nothing is sent. */
export interface SimulatedRequest {
  readonly method: string;
  /** The Host header. */
  readonly host: string;
  /** The request-target as a client would send it. */
  readonly target: string;
  /** Whether the request comes over TLS. Default: false. */
  readonly secure?: boolean | undefined;
  /** Name and value, in order. A Host in the list replaces `host`. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** A user of Basic or Digest whose password counts as correct. */
  readonly user?: string | undefined;
  /** The scheme of `user`. Default: the first scheme of the route. */
  readonly scheme?: string | undefined;
  /** The bearer token. */
  readonly token?: string | undefined;
  /** For an `mcp` route: the operation of the message, such as `tools/call delete_user`. */
  readonly operation?: string | undefined;
}

/** TEST-NET-1 (RFC 5737) belongs to no client, so nothing from it is trusted. */
const ADDRESS = '192.0.2.1';

export function simulatedHead({
  method,
  host,
  target,
  secure = false,
  headers = [],
  token,
}: SimulatedRequest): RequestHead {
  const named = headers.some(([name]) => name.toLowerCase() === 'host');
  const received: ReceivedRequest = {
    method,
    target,
    version: '1.1',
    origin: { address: ADDRESS, secure, chain: ADDRESS, host: undefined, requestId: undefined, isProxied: false },
    rawHeaders: [
      ...(named ? [] : ['Host', host]),
      ...headers.flat(),
      ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]),
    ],
  };
  const head = readHead(received);
  // With these methods, a Content-Type announces a body, which this request need not have. Some clients send one with every GET.
  const isAnnounced = head.contentType !== undefined && EXPECT_CONTENT.has(method);
  return { ...head, hasBody: head.hasBody || isAnnounced };
}
