import type { Dispatcher } from 'undici';
import { namedServer } from '../../base/server-identity.ts';
import type { ConnectionBudget } from './connection-budget.ts';

/** What carries requests to one url: undici for HTTP/1.1, @fastify/http-proxy for HTTP/2. */
export interface ForwardEngine {
  /** As undici's: the handler hears `onConnect` before the first byte is sent, and not at all where no connection opened. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): unknown;
  /** Whether the handler hears `onWait` when an answer that has begun is still to come on. */
  readonly tellsWaits: boolean;
  /** Ends what is open, at once. */
  destroy(): Promise<unknown>;
}

export interface EngineOptions {
  readonly url: URL;
  /** The server name of the TLS connection, which the certificate must contain. */
  readonly serverName: string;
  readonly trust: UpstreamTrust;
  readonly connections: number;
  /** Milliseconds for a connection to open. */
  readonly connectTimeout: number;
  /** false: each request has a connection of its own. */
  readonly keepAlive: boolean;
  /** Absent: a connection that counts among the program's own files, as that of a probe. */
  readonly room?: ConnectionBudget | undefined;
}

/** Whom the gateway believes towards an upstream, and who it says that it is. PEM. */
export type UpstreamTrust =
  | { readonly kind: 'files'; readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** A file went bad since it was checked: without it a library would fall back to whom it knows. */
  | { readonly kind: 'nobody' };

/** An answer's header section may be larger than a request's: cookies and policies add up. */
export const MAX_HEADER_SIZE = 64 * 1024;

/** `rejectUnauthorized` is said aloud, so that no variable of the environment can unsay it. */
export function tlsOf({ trust }: Pick<EngineOptions, 'trust'>) {
  const { kind: _, ...files } = { ...trust };
  return { ...files, rejectUnauthorized: true, checkServerIdentity: namedServer, minVersion: 'TLSv1.2' as const };
}

export class TrustsNobody extends Error {
  readonly code = 'TRUSTS_NOBODY';
}
