import type { WritableEngine } from '../../../src/storage/engine/engine.ts';
import { pollEvents, type WatchEvents } from '../../../src/storage/engine/watch.ts';
import { migrate } from './migrate.ts';
import { Tables } from './tables.ts';

/** Milliseconds between two checks for events. */
const POLL = 1_000;

/** Opens the log for writing, and upgrades its tables to this program's version. `now`: NumericDate. */
export function fileLogEngine(file: string, now: number): WritableEngine {
  const tables = new Tables(file);
  migrate(tables, now);
  const { watchEvents, wake } = watching();
  const write: WritableEngine['write'] = async (verb) => {
    const outcome = tables.write(verb());
    wake();
    return outcome;
  };
  return {
    read: async (verb) => tables.read(verb()),
    write,
    writeOne: write,
    watchEvents,
    close: async () => tables.close(),
  };
}

/** Any write may have added an event. */
function watching(): { readonly watchEvents: WatchEvents; wake(): void } {
  const watchers = new Set<() => void>();
  const poll = pollEvents(POLL);
  return {
    watchEvents(wake) {
      watchers.add(wake);
      const stop = poll(wake);
      return () => {
        watchers.delete(wake);
        return stop();
      };
    },
    wake() {
      for (const wake of watchers) wake();
    },
  };
}
