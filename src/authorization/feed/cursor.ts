import type { FeedPosition } from '../../storage/records/records.ts';

/** Why a follower must drop its cached tokens: it may have missed events for good. */
export type ResetReason = 'cursor_too_old' | 'cursor_unknown';

export interface Start {
  /** Events after this number follow. */
  readonly since: number;
  /** Told before them. */
  readonly reset: ResetReason | undefined;
}

/**
 * Where a follower goes on. 0 is before everything, and what is no more told by then has ended by itself. A number that
 * was never given out here is one of another database: of the time before a backup was restored, or after it was made.
 */
export function startAt(cursor: number, { last, pruned, known }: FeedPosition): Start {
  if (cursor === 0 || cursor === last || (cursor >= pruned && (known || cursor === pruned)))
    return { since: cursor, reset: undefined };
  return { since: 0, reset: cursor < pruned ? 'cursor_too_old' : 'cursor_unknown' };
}
