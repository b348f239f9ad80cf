/** A time limit for one wait. */
export interface Deadline {
  /** The wait ended in time. Does nothing if the deadline has expired or ended. */
  end(): void;
}

/** An entry of a linked list, so that removing it is cheap. */
class Entry implements Deadline {
  readonly due: number;
  readonly expire: () => void;
  before: Entry | undefined;
  behind: Entry | undefined;
  readonly #list: DeadlineList;

  constructor(list: DeadlineList, due: number, expire: () => void) {
    this.#list = list;
    this.due = due;
    this.expire = expire;
  }

  end(): void {
    this.#list.remove(this);
  }
}

/** Deadlines of equal length. They expire in the order in which they began, so one timer serves all. */
class DeadlineList {
  readonly #milliseconds: number;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(expire: () => void): Entry {
    const entry = new Entry(this, performance.now() + this.#milliseconds, expire);
    entry.before = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.behind = entry;
    this.#last = entry;
    this.#timer ??= this.#lookIn(this.#milliseconds);
    return entry;
  }

  remove(entry: Entry): void {
    const { before, behind } = entry;
    if (before === undefined && this.#first !== entry) return;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    entry.before = undefined;
    entry.behind = undefined;
  }

  /** The waiting connection keeps the process alive, so the timer need not. */
  #lookIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(this.#look, milliseconds).unref();
  }

  /** Ending an entry does not change the timer. So the timer may fire too early, and then starts again. */
  readonly #look = (): void => {
    try {
      this.#expireUntil(performance.now());
    } finally {
      // Only now, because an entry that begins meanwhile is due after all others.
      this.#timer = this.#first && this.#lookIn(Math.max(1, this.#first.due - performance.now()));
    }
  };

  #expireUntil(now: number): void {
    while (this.#first !== undefined && this.#first.due <= now) {
      const { expire } = this.#first;
      this.remove(this.#first);
      expire();
    }
  }
}

/** One list for each configured length. A list entry is cheaper than a timer for each request. */
export class Deadlines {
  readonly #lists = new Map<number, DeadlineList>();

  /** Calls `expire` after this time, unless the deadline ends first. */
  begin(milliseconds: number, expire: () => void): Deadline {
    return (this.#lists.get(milliseconds) ?? this.#open(milliseconds)).add(expire);
  }

  #open(milliseconds: number): DeadlineList {
    const list = new DeadlineList(milliseconds);
    this.#lists.set(milliseconds, list);
    return list;
  }
}
