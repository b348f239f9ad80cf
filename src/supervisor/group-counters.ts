import type { Clock } from '../base/clock.ts';
import type { NonceUsage, NonceUse } from '../counters/counters.ts';
import { type MemoryCounters, memoryCounters } from '../counters/memory.ts';
import { openUsedNonces } from '../gateway/schemes/nonces.ts';

/** The counters that the primary keeps for all workers. Each call is one step of one event loop, so it is atomic. */
export interface GroupCounters extends Pick<MemoryCounters, 'take' | 'failures' | 'fail'> {
  useNonce(use: NonceUse): NonceUsage;
  /** Milliseconds: the time that nonces of this group carry. */
  nonceTime(): number;
}

export function groupCounters(clock: Clock): GroupCounters {
  const { take, failures, fail } = memoryCounters(clock);
  // No worker is older than this process, so no worker issued a nonce before. A jump of the wall clock must not end the
  // memory of used nonces, so the time is the one that nonces carry.
  const { now: time, counts } = openUsedNonces(clock);
  return {
    take,
    failures,
    fail,
    nonceTime: time,
    useNonce: ({ id, issuedAt, lifetime, count, mode }) => {
      const now = time();
      return counts.use({ id, issuedAt }, { count, mode, now, expiresAt: now + lifetime });
    },
  };
}
