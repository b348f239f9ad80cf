import { Socket } from 'node:net';
import { roomForConnections } from '../../base/open-files.ts';

/** Who keeps connections, and may have one to spare. */
export interface BudgetHolder {
  /** Closes a connection that carries no request. False: there is none. */
  letGo(): boolean;
  /** There is room again. */
  roomCame?(): void;
}

/** What connections to upstreams may be open at one time, of all upstreams together. */
export interface ConnectionBudget {
  readonly size: number;
  /** False: no descriptor is left for another connection. Holders with an idle connection close it first. */
  take(): boolean;
  give(): void;
  /** Tells it once when there is room. */
  awaitRoom(tenant: BudgetHolder): void;
  /** Gives the way out. */
  join(tenant: BudgetHolder): () => void;
}

/**
 * One client has one connection and as many requests at one time as it may send over it: one over HTTP/1.1, a hundred over
 * HTTP/2. So it does not suffice to count clients.
 */
export function connectionBudget(size = roomForConnections(2)): ConnectionBudget {
  const tenants = new Set<BudgetHolder>();
  const waiting = new Set<BudgetHolder>();
  let taken = 0;
  const tellWaiting = () => {
    for (const tenant of waiting) {
      if (taken >= size) return;
      waiting.delete(tenant);
      tenant.roomCame?.();
    }
  };
  return {
    size,
    take() {
      if (taken >= size && !tenants.values().some((tenant) => tenant.letGo())) return false;
      taken++;
      return true;
    },
    give() {
      taken--;
      tellWaiting();
    },
    awaitRoom(tenant) {
      waiting.add(tenant);
    },
    join(tenant) {
      tenants.add(tenant);
      return () => {
        tenants.delete(tenant);
        waiting.delete(tenant);
      };
    },
  };
}

/** What was taken is given back when the socket that `open` gives is closed; at once where there is none. */
export function countedUntilClosed<Opened>(room: ConnectionBudget, open: () => Opened): Opened {
  let opened: Opened | undefined;
  try {
    opened = open();
    return opened;
  } finally {
    if (opened instanceof Socket) opened.once('close', room.give);
    else room.give();
  }
}

/** Says nothing of the upstream. */
export class ConnectionBudgetFull extends Error {
  readonly code = 'NO_ROOM';

  constructor() {
    super('no file descriptor is left for another connection to an upstream: raise the limit of open files');
  }
}
