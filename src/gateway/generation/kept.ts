import type { Counters } from '../../counters/counters.ts';
import { type EntityBudget, entityBudget } from '../client/entity-budget.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Nonces, UsedNonces } from '../schemes/nonces.ts';
import { openPasswordJudge, type PasswordJudge } from '../schemes/password-judge.ts';
import type { UserStore } from '../schemes/user-store.ts';
import type { Tickets } from '../telemetry/tickets.ts';
import { openRoom, type Room } from '../upstreams/room.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AuthorizationServer } from '../verify/authorization-server.ts';
import { Holdings } from './holdings.ts';

/** What outlives a generation where the next one's file says the same of it. */
export interface Kept {
  readonly servers: Holdings<AuthorizationServer>;
  readonly upstreams: Holdings<Upstream>;
  readonly tickets: Holdings<Tickets>;
  readonly counters: Holdings<Counters>;
  readonly nonces: Holdings<Nonces>;
  readonly usedNonces: Holdings<UsedNonces>;
  /** With the passwords that were right a moment ago. */
  readonly schemes: Holdings<HttpScheme>;
  readonly userStores: Holdings<UserStore>;
  /** Of the process: its queue is the bound on what hashing may take. */
  readonly passwords: PasswordJudge;
  /** Of the process, too. */
  readonly bodies: EntityBudget;
  readonly room: Room;
  close(): Promise<void>;
}

export function keepNothingYet(): Kept {
  const servers = new Holdings<AuthorizationServer>((server) => server.close());
  const upstreams = new Holdings<Upstream>((upstream) => upstream.close());
  const tickets = new Holdings<Tickets>(async () => {});
  const counters = new Holdings<Counters>((each) => each.close());
  const userStores = new Holdings<UserStore>((store) => store.close());
  const passwords = openPasswordJudge();
  return {
    servers,
    upstreams,
    tickets,
    counters,
    nonces: new Holdings<Nonces>(async () => {}),
    usedNonces: new Holdings<UsedNonces>(async () => {}),
    schemes: new Holdings<HttpScheme>(async () => {}),
    userStores,
    passwords,
    bodies: entityBudget(),
    room: openRoom(),
    close: async () =>
      void (await Promise.all([servers, upstreams, counters, userStores, passwords].map((each) => each.close()))),
  };
}
