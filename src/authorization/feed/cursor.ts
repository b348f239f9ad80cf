import type { FeedPosition } from '../../storage/records/records.ts';

/** Why a follower must drop its cached tokens: it may have missed events for good. */
export type ResetReason = 'cursor_too_old' | 'cursor_unknown';

export interface Start {
  /** The events after this number follow. */
  readonly since: number;
  /** Sent before the events. */
  readonly reset: ResetReason | undefined;
}

/**
 * The position from which a follower continues. 0 is the start; events that were pruned since then have expired. A number that
 * this database never used comes from another database. For example, a backup was restored since then.
 */
export function startAt(cursor: number, { last, pruned, known }: FeedPosition): Start {
  if (cursor === 0 || cursor === last || (cursor >= pruned && (known || cursor === pruned)))
    return { since: cursor, reset: undefined };
  return { since: 0, reset: cursor < pruned ? 'cursor_too_old' : 'cursor_unknown' };
}
