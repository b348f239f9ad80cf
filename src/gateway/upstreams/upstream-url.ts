import type { Breaker } from './breaker.ts';
import type { DigestSession } from './digest-session.ts';
import type { EngineChoice } from './engine-choice.ts';

/** One url of an upstream. */
export interface UpstreamUrl {
  readonly carrier: EngineChoice;
  /** The Host that it is sent; undefined: the client's own. */
  readonly host: string | undefined;
  /** The name of its url in metrics and logs. */
  readonly authority: string;
  /** The name that its certificate must have; undefined: it has none. */
  readonly serverName: string | undefined;
  /** A nonce is good where it comes from, so every url has its own. Undefined: it is not Digest that it wants. */
  readonly digest: DigestSession | undefined;
  readonly breaker: Breaker | undefined;
  /** Whether a health check runs for it. */
  readonly isProbed: boolean;
  isHealthy: boolean;
  /** Requests that have a connection to it or wait for one. */
  inFlight: number;
  readonly counts: OriginCounts;
}

/** Since it was opened. */
export interface OriginCounts {
  /** Requests that were sent again, here, after they failed. */
  retries: number;
  /** How often it was taken out, and by what. */
  unhealthy: number;
  opened: number;
}
