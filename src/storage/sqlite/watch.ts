import type { DatabaseSync } from 'node:sqlite';
import { pollEvents, type WatchEvents } from '../engine/watch.ts';

/** Milliseconds. Commands are other processes, and SQLite does not report another process's commits. */
const POLL = 200;

export interface SqliteWatch {
  readonly watch: WatchEvents;
  /** Called after every commit of this process. */
  committed(): void;
}

/** A trigger of this connection reports new events. The watcher announces them after the commit. */
export function watchSqlite(database: DatabaseSync): SqliteWatch {
  const watchers = new Set<() => void>();
  const poll = pollEvents(POLL);
  let reported = false;
  database.function('gatehouse_reported', () => {
    reported = true;
    return null;
  });
  database.exec('CREATE TEMP TRIGGER reported AFTER INSERT ON main.event BEGIN SELECT gatehouse_reported(); END');
  return {
    watch(wake) {
      const stop = poll(wake);
      watchers.add(wake);
      return () => {
        watchers.delete(wake);
        return stop();
      };
    },
    committed() {
      if (!reported) return;
      reported = false;
      for (const wake of watchers) wake();
    },
  };
}
