import type { Dispatcher } from 'undici';
import { namedServer } from '../../base/server-identity.ts';
import type { ConnectionBudget } from './connection-budget.ts';

/** Carries requests to one URL: our own engine or undici for HTTP/1.1, @fastify/http-proxy for HTTP/2. */
export interface ForwardEngine {
  /** Like undici's: the handler hears `onConnect` before the first byte is sent, and never if no connection opens. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): unknown;
  /** Whether the engine calls `onWait` while the rest of a begun answer is missing. */
  readonly tellsWaits: boolean;
  /** Ends all open connections at once. */
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
  /** false: each request has its own connection. */
  readonly keepAlive: boolean;
  /** Undefined: the connection counts as one of the program's own files, like a probe's. */
  readonly room?: ConnectionBudget | undefined;
}

/** The authorities that the gateway trusts for an upstream, and its own certificate. PEM. */
export type UpstreamTrust =
  | { readonly kind: 'files'; readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** A file became invalid after the configuration check. A library would otherwise use its default authorities. */
  | { readonly kind: 'none' };

/** An answer's header section may be larger than a request's: cookies and policies add up. */
export const MAX_HEADER_SIZE = 64 * 1024;

/** An explicit `rejectUnauthorized` overrides the environment variable that disables it. */
export function tlsOf({ trust }: Pick<EngineOptions, 'trust'>) {
  const { kind: _, ...files } = { ...trust };
  return { ...files, rejectUnauthorized: true, checkServerIdentity: namedServer, minVersion: 'TLSv1.2' as const };
}

export class TrustsNoServer extends Error {
  readonly code = 'TRUSTS_NOBODY';
}
