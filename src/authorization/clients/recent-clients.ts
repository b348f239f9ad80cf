import type { Clock } from '../../base/clock.ts';
import type { Clients, RegisteredClient } from './clients.ts';

/** The clients, at most a few seconds old. While the store is down, the last known clients. */
export type RecentClients = () => Promise<readonly RegisteredClient[]>;

/** Milliseconds between two store reads. Anyone can trigger these reads, so they need a limit. */
const KEPT = 5_000;

/** Rejects if no clients are known yet. */
export function rememberClients(clients: Pick<Clients, 'list'>, clock: Clock): RecentClients {
  let known: Promise<readonly RegisteredClient[]> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  const ask = (before: typeof known) =>
    clients.list().catch((error) => {
      if (before !== undefined) return before;
      forget();
      throw error;
    });
  const forget = () => {
    known = undefined;
    until = Number.NEGATIVE_INFINITY;
  };
  return () => {
    if (known !== undefined && clock.monotonic() < until) return known;
    until = clock.monotonic() + KEPT;
    known = ask(known);
    return known;
  };
}
