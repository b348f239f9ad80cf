import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import type { Measures } from './measures.ts';

/** An authorization server as the gateway sees it. */
export interface ServerHealth {
  readonly name: string;
  readonly issuer: string | undefined;
  readonly keys_age_seconds: number | undefined;
  readonly cached_tokens: number | undefined;
  /** Share of tokens that were in the cache, since the start. */
  readonly cache_hits: number | undefined;
  readonly introspections: number | undefined;
  /** Undefined: the gateway does not follow a feed of this server. */
  readonly feed:
    | {
        readonly connected: boolean;
        readonly stale: boolean;
        readonly lag_seconds: number | undefined;
        readonly revocations: number | undefined;
      }
    | undefined;
}

export interface UpstreamHealth {
  readonly upstream: string;
  readonly url: string;
  readonly up: boolean;
  readonly breaker: 'closed' | 'half open' | 'open';
  readonly in_flight: number;
  readonly retries: number;
}

export function serversIn(
  { authorization_servers: servers }: GatewayConfig,
  measures: Measures,
): readonly ServerHealth[] {
  return Object.entries(servers).map(([name, { issuer }]) => {
    const of = (metric: string) => measures.one(metric, { server: name });
    return {
      name,
      issuer,
      keys_age_seconds: of('gatehouse_jwks_age_seconds'),
      cached_tokens: of('gatehouse_token_cache_entries'),
      cache_hits: shareOf(of('gatehouse_token_cache_hits'), of('gatehouse_token_cache_misses')),
      introspections: of('gatehouse_introspections'),
      feed: feedOf(of),
    };
  });
}

function shareOf(hits = 0, misses = 0): number | undefined {
  return hits + misses === 0 ? undefined : hits / (hits + misses);
}

function feedOf(of: (metric: string) => number | undefined): ServerHealth['feed'] {
  const connected = of('gatehouse_feed_connected');
  if (connected === undefined) return undefined;
  return {
    connected: connected === 1,
    stale: of('gatehouse_feed_stale') === 1,
    lag_seconds: of('gatehouse_feed_lag_seconds'),
    revocations: of('gatehouse_revocations'),
  };
}

const breakers = ['closed', 'half open', 'open'] as const;

export function upstreamsIn(measures: Measures): readonly UpstreamHealth[] {
  return measures.all('gatehouse_upstream_up').map(({ labels, value }) => {
    const place = { upstream: String(labels.upstream), url: String(labels.url) };
    return {
      ...place,
      up: value === 1,
      breaker: breakers[measures.one('gatehouse_upstream_breaker', place) ?? 0] ?? 'closed',
      in_flight: measures.one('gatehouse_upstream_url_requests_in_flight', place) ?? 0,
      retries: measures.one('gatehouse_upstream_retries_total', place) ?? 0,
    };
  });
}
