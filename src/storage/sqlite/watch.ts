import type { DatabaseSync } from 'node:sqlite';
import { pollEvents, type WatchEvents } from '../engine/watch.ts';

/** Milliseconds. Commands are other processes, and SQLite does not announce another process's commits. */
const POLL = 200;

export interface SqliteWatch {
  readonly watch: WatchEvents;
  /** After every commit of this process. */
  committed(): void;
}

/** Learns by a trigger of this connection alone that events were written, and tells of them once they are committed. */
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
