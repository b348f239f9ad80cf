import type { Counters } from '../storage/counters.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { Holdings } from './holdings.ts';
import type { Tickets } from './tickets.ts';
import type { Upstream } from './upstream.ts';

/** What outlives a generation where the next one's file says the same of it. */
export interface Kept {
  readonly servers: Holdings<AuthorizationServer>;
  readonly upstreams: Holdings<Upstream>;
  readonly tickets: Holdings<Tickets>;
  readonly counters: Holdings<Counters>;
  close(): Promise<void>;
}

export function keepNothingYet(): Kept {
  const servers = new Holdings<AuthorizationServer>((server) => server.close());
  const upstreams = new Holdings<Upstream>(({ pool }) => pool.destroy());
  const tickets = new Holdings<Tickets>(async () => {});
  const counters = new Holdings<Counters>((each) => each.close());
  return {
    servers,
    upstreams,
    tickets,
    counters,
    close: async () => void (await Promise.all([servers.close(), upstreams.close(), counters.close()])),
  };
}
