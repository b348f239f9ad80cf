import type { Clock } from '../../src/base/clock.ts';
import type { AuthorizationServerConfig } from '../../src/config/schema/gateway.ts';

/** Time that passes only when a test moves it. */
export interface HeldClock extends Clock {
  /** Milliseconds. */
  advance(by: number): void;
  /** Moves only the wall clock, as an administrator would. */
  step(by: number): void;
}

export function heldClock(): HeldClock {
  let wall = 1_900_000_000_000;
  let monotonic = 1_000_000;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    advance(by) {
      wall += by;
      monotonic += by;
    },
    step(by) {
      wall += by;
    },
  };
}

type Changes = Partial<Omit<AuthorizationServerConfig, 'jwks' | 'cache'>> & {
  readonly jwks?: Partial<AuthorizationServerConfig['jwks']>;
  readonly cache?: Partial<AuthorizationServerConfig['cache']>;
};

/** The defaults of the file, with a test's changes. */
export function settings(issuer: string, { jwks, cache, ...changes }: Changes = {}): AuthorizationServerConfig {
  return {
    issuer,
    jwks: { ttl: 600_000, cooldown: 10_000, stale_if_error: 3_600_000, ...jwks },
    introspection_endpoint_auth_method: 'client_secret_basic',
    client_id: 'gateway',
    client_secret: 'gateway-secret',
    verify: 'auto',
    algorithms: ['EdDSA', 'ES256', 'RS256', 'PS256'],
    typ: ['at+jwt'],
    required_claims: {},
    scope_claims: ['scope', 'scp'],
    clock_skew: 30_000,
    max_token_lifetime: 86_400_000,
    max_staleness: 60_000,
    on_stale: 'introspect',
    cache: {
      size: 1000,
      ttl: 60_000,
      negative_size: 100,
      negative_ttl: 5_000,
      stale_if_error: 0,
      max_concurrent: 8,
      ...cache,
    },
    ...changes,
  };
}
