import type { WatchedDecisions } from '../gateway/telemetry/decision-stream.ts';
import type { Watcher } from '../gateway/telemetry/decisions.ts';

/** The decisions of all workers, for live viewers. Without a viewer, no worker records any. */
export interface MergedDecisions extends WatchedDecisions {
  show(records: readonly string[]): void;
}

/** @param wanted called when the first viewer begins to watch, and when the last one has gone */
export function mergedDecisions(wanted: (on: boolean) => void): MergedDecisions {
  const watchers = new Set<Watcher>();
  return {
    get watchers() {
      return watchers.size;
    },
    watch(watcher) {
      watchers.add(watcher);
      if (watchers.size === 1) wanted(true);
      return () => {
        if (watchers.delete(watcher) && watchers.size === 0) wanted(false);
      };
    },
    show(records) {
      for (const record of records) for (const watcher of watchers) watcher(record);
    },
  };
}
