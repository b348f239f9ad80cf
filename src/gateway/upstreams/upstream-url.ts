import type { Breaker } from './breaker.ts';
import type { DigestSession } from './digest-session.ts';
import type { EngineChoice } from './engine-choice.ts';

/** One URL of an upstream. */
export interface UpstreamUrl {
  readonly carrier: EngineChoice;
  /** The Host of its requests. Undefined: the client's own. */
  readonly host: string | undefined;
  /** The URL's name in metrics and logs. */
  readonly authority: string;
  /** The name that its certificate must contain. Undefined: it uses no TLS. */
  readonly serverName: string | undefined;
  /**
   * A nonce is valid only at the URL that issued it, so each URL has its own session. Undefined: the upstream does not
   * require Digest.
   */
  readonly digest: DigestSession | undefined;
  readonly breaker: Breaker | undefined;
  /** Whether a health check runs for it. */
  readonly isProbed: boolean;
  isHealthy: boolean;
  /** Requests that have a connection to it or wait for one. */
  inFlight: number;
  readonly counts: OriginCounts;
}

/** Counts since the URL was opened. */
export interface OriginCounts {
  /** Failed requests that were retried at this URL. */
  retries: number;
  /** How often the URL was removed from rotation, and why. */
  unhealthy: number;
  opened: number;
}
