import type { Balance } from '../../config/schema/upstream.ts';
import type { UpstreamUrl } from './upstream-url.ts';

/**
 * Chooses the URL of the next request. Undefined: no URL is available. `besides` is the URL that has just failed, and
 * comes last.
 */
export type Choose = (besides?: UpstreamUrl) => UpstreamUrl | undefined;

/** `now`: monotonic. */
export function chooser(origins: readonly UpstreamUrl[], balance: Balance, now: () => number): Choose {
  const [only] = origins;
  if (origins.length === 1 && only?.breaker === undefined && only?.isProbed === false) return () => only;
  return taking(rules[balance](origins), now);
}

/** Also tells the breaker of the chosen URL that a request begins. */
function taking(pick: Pick, now: () => number): Choose {
  return (besides) => {
    const time = now();
    const chosen = pick((origin) => origin !== besides && isOpen(origin, time)) ?? lastResort(besides, time);
    chosen?.breaker?.begin(time);
    return chosen;
  };
}

function lastResort(besides: UpstreamUrl | undefined, now: number): UpstreamUrl | undefined {
  return besides !== undefined && isOpen(besides, now) ? besides : undefined;
}

function isOpen({ isHealthy, breaker }: UpstreamUrl, now: number): boolean {
  return isHealthy && (breaker === undefined || breaker.admits(now));
}

type Pick = (isEligible: (origin: UpstreamUrl) => boolean) => UpstreamUrl | undefined;

const rules: Readonly<Record<Balance, (origins: readonly UpstreamUrl[]) => Pick>> = {
  round_robin: (origins) => {
    let next = 0;
    return (isEligible) => {
      for (let tried = 0; tried < origins.length; tried++) {
        const origin = origins[next] as UpstreamUrl;
        next = (next + 1) % origins.length;
        if (isEligible(origin)) return origin;
      }
      return undefined;
    };
  },
  // Equal candidates take turns. Otherwise the first URL would get all requests of an idle upstream.
  least_connections: (origins) => {
    let first = 0;
    return (isEligible) => {
      let best: UpstreamUrl | undefined;
      for (let index = 0; index < origins.length; index++) {
        const origin = origins[(first + index) % origins.length] as UpstreamUrl;
        if (isEligible(origin) && (best === undefined || origin.inFlight < best.inFlight)) best = origin;
      }
      first = (first + 1) % origins.length;
      return best;
    };
  },
};
