import type { Clock } from '../../base/clock.ts';
import type { Clients, RegisteredClient } from './clients.ts';

/** The clients as they were a few seconds ago at most. While the store is down, those that were known before. */
export type RecentClients = () => Promise<readonly RegisteredClient[]>;

/** Milliseconds for which the store is not asked again: this is for what anybody may ask for. */
const KEPT = 5_000;

/** Rejects where none were known before. */
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
