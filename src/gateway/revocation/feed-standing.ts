import type { LinkEnd } from './feed-link.ts';

/** What a follower has learned so far about a server: if the server has a feed. */
export interface FeedStanding {
  /** The feed was up to date once, so the server has a feed. From now on, a feed that is gone is lost. */
  inStep(): void;
  /** True if this end of a link means that the server has no feed. */
  isAbsent(end: LinkEnd): boolean;
}

/**
 * Only an answer of the server shows that it has no feed. While the server does not answer, its last answer counts.
 * Before its first answer, the gateway must expect a feed. Otherwise a gateway that starts before the service would
 * accept revoked tokens.
 */
export function feedStanding(): FeedStanding {
  let wasInStep = false;
  let wasAbsent = false;
  return {
    inStep() {
      wasInStep = true;
    },
    isAbsent({ absent = false, unknown = false }) {
      if (!unknown) wasAbsent = absent;
      return wasAbsent && !wasInStep;
    },
  };
}
