import type { Counters } from '../../counters/counters.ts';
import { TurnBudget } from '../../jwt/turn-budget.ts';
import { type EntityBudget, entityBudget } from '../client/entity-budget.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Nonces, UsedNonces } from '../schemes/nonces.ts';
import { openPasswordJudge, type PasswordJudge } from '../schemes/password-judge.ts';
import type { UserStore } from '../schemes/user-store.ts';
import type { Tickets } from '../telemetry/tickets.ts';
import { type ConnectionBudget, connectionBudget } from '../upstreams/connection-budget.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AuthorizationServer } from '../verify/authorization-server.ts';
import { SharedPool } from './shared-pool.ts';

/** Objects that the next generation reuses if its file has the same settings for them. */
export interface ReloadPool {
  readonly servers: SharedPool<AuthorizationServer>;
  readonly upstreams: SharedPool<Upstream>;
  readonly tickets: SharedPool<Tickets>;
  readonly counters: SharedPool<Counters>;
  readonly nonces: SharedPool<Nonces>;
  readonly usedNonces: SharedPool<UsedNonces>;
  /** With the passwords that were correct recently. */
  readonly schemes: SharedPool<HttpScheme>;
  readonly userStores: SharedPool<UserStore>;
  /** One object for the process. Its queue limits the cost of hashing. */
  readonly passwords: PasswordJudge;
  /** One object for the process. */
  readonly bodies: EntityBudget;
  readonly room: ConnectionBudget;
  readonly signatures: TurnBudget;
  close(): Promise<void>;
}

export function emptyReloadPool(): ReloadPool {
  const servers = new SharedPool<AuthorizationServer>((server) => server.close());
  const upstreams = new SharedPool<Upstream>((upstream) => upstream.close());
  const tickets = new SharedPool<Tickets>(async () => {});
  const counters = new SharedPool<Counters>((each) => each.close());
  const userStores = new SharedPool<UserStore>((store) => store.close());
  const passwords = openPasswordJudge();
  return {
    servers,
    upstreams,
    tickets,
    counters,
    nonces: new SharedPool<Nonces>(async () => {}),
    usedNonces: new SharedPool<UsedNonces>(async () => {}),
    schemes: new SharedPool<HttpScheme>(async () => {}),
    userStores,
    passwords,
    bodies: entityBudget(),
    room: connectionBudget(),
    signatures: new TurnBudget(),
    close: async () =>
      void (await Promise.all([servers, upstreams, counters, userStores, passwords].map((each) => each.close()))),
  };
}
