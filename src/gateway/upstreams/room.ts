import { Socket } from 'node:net';
import { roomForConnections } from '../../base/open-files.ts';

/** Who keeps connections, and may have one to spare. */
export interface Tenant {
  /** Closes a connection that carries no request. False: there is none. */
  letGo(): boolean;
}

/** What connections to upstreams may be open at one time, of all upstreams together. */
export interface Room {
  readonly size: number;
  /** Of one url. */
  share(): Share;
}

export interface Share {
  /** False: there is no descriptor for another one. Whoever has nothing to do for one of its own lets it go first. */
  take(): boolean;
  give(): void;
  /** Gives the way out. */
  join(tenant: Tenant): () => void;
}

/**
 * One client has one connection and as many requests as it may send over it: over HTTP/2 a hundred, in a pipeline of HTTP/1.1
 * any number. So it does not suffice to count clients.
 */
export function openRoom(size = roomForConnections(2)): Room {
  const room = new Counted(size);
  return { size, share: () => new CountedShare(room) };
}

/** Half of it is kept in equal parts for those who are in it: an upstream that never answers shall not take it all. */
class Counted {
  readonly shares = new Set<CountedShare>();
  readonly #size: number;
  taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  takeFor(taker: CountedShare): boolean {
    if (this.#size - this.taken > this.#keptFromOthers(taker)) return true;
    return this.shares.values().some((share) => (share === taker || share.held > this.#kept) && share.letGo());
  }

  get #kept(): number {
    const { size } = this.shares;
    return this.#size < size ? 0 : Math.max(1, Math.floor(this.#size / (2 * size)));
  }

  #keptFromOthers(taker: CountedShare): number {
    if (this.#size === Number.POSITIVE_INFINITY) return 0;
    const kept = this.#kept;
    let sum = 0;
    for (const share of this.shares) if (share !== taker) sum += Math.max(0, kept - share.held);
    return sum;
  }
}

class CountedShare implements Share {
  readonly #room: Counted;
  #tenant: Tenant | undefined;
  held = 0;

  constructor(room: Counted) {
    this.#room = room;
  }

  take(): boolean {
    if (!this.#room.takeFor(this)) return false;
    this.held++;
    this.#room.taken++;
    return true;
  }

  readonly give = (): void => {
    this.held--;
    this.#room.taken--;
  };

  join(tenant: Tenant): () => void {
    this.#tenant = tenant;
    this.#room.shares.add(this);
    return () => this.#room.shares.delete(this);
  }

  letGo(): boolean {
    return this.#tenant?.letGo() === true;
  }
}

/** What was taken is given back when the socket that `open` gives is closed; at once where there is none. */
export function countedUntilClosed<Opened>(room: Pick<Share, 'give'>, open: () => Opened): Opened {
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
export class NoRoom extends Error {
  readonly code = 'NO_ROOM';

  constructor() {
    super('no file descriptor is left for another connection to an upstream: raise the limit of open files');
  }
}
