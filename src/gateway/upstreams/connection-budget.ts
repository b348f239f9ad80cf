import { Socket } from 'node:net';
import { roomForConnections } from '../../base/open-files.ts';

/** An owner of connections, some of which may be idle. */
export interface BudgetHolder {
  /** Closes an idle connection. False: there is none. */
  letGo(): boolean;
  /** The budget has room again. */
  roomCame?(): void;
}

/** Limits the open connections of all upstreams together. */
export interface ConnectionBudget {
  readonly size: number;
  /** Reserves a connection. False: no file descriptor is left. Holders with an idle connection close it first. */
  take(): boolean;
  give(): void;
  /** Calls the tenant's `roomCame` once, when there is room. */
  awaitRoom(tenant: BudgetHolder): void;
  /** Adds the tenant. Returns a function that removes it. */
  join(tenant: BudgetHolder): () => void;
}

/**
 * A client has one connection, but may send several requests at a time over it: one over HTTP/1.1, a hundred over
 * HTTP/2. So counting clients is not enough.
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

/** Releases the reservation when the opened socket closes, or at once if no socket opens. */
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

/** This error says nothing about the upstream. */
export class ConnectionBudgetFull extends Error {
  readonly code = 'NO_ROOM';

  constructor() {
    super('no file descriptor is left for another connection to an upstream: raise the limit of open files');
  }
}
