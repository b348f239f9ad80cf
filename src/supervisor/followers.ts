import type { ServerBrokers } from './server-brokers.ts';
import type { Worker } from './worker-lifecycle.ts';

/** Which workers follow which feed. */
export interface Followers {
  follow(worker: Worker, desk: string): void;
  unfollow(worker: Worker, desk: string): void;
  left(worker: Worker): void;
}

export function feedFollowers(desks: ServerBrokers): Followers {
  const stops = new Map<Worker, Map<string, () => void>>();
  const unfollow = (worker: Worker, desk: string) => {
    stops.get(worker)?.get(desk)?.();
    stops.get(worker)?.delete(desk);
  };
  return {
    follow(worker, desk) {
      unfollow(worker, desk);
      const { line } = worker.process;
      const stop = desks.find(desk)?.feed?.follow((messages) => line.tell('feed', { desk, messages }));
      if (stop === undefined) return;
      const own = stops.get(worker) ?? new Map<string, () => void>();
      stops.set(worker, own.set(desk, stop));
    },
    unfollow,
    left(worker) {
      for (const stop of stops.get(worker)?.values() ?? []) stop();
      stops.delete(worker);
    },
  };
}
