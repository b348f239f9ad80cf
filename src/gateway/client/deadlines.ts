/** A wait that may take so long and no longer. */
export interface Deadline {
  /** It is over in time. Does nothing once it has expired, or was ended. */
  end(): void;
}

/** One of a list. The neighbors make it cheap to take out. */
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

/** Deadlines of one length, which are due in the order in which they began: one timer serves all. */
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

  /** A connection waits for what is due, and keeps the process alive. */
  #lookIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(this.#look, milliseconds).unref();
  }

  /** The end of an entry leaves the timer alone, so it may come too early, and then comes again. */
  readonly #look = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#first !== undefined && this.#first.due <= now) {
      const { expire } = this.#first;
      this.remove(this.#first);
      expire();
    }
    if (this.#first !== undefined) this.#timer ??= this.#lookIn(Math.max(1, this.#first.due - now));
  };
}

/** One list for each length that the file names: a timer a request costs more than an entry in a list. */
export class Deadlines {
  readonly #lists = new Map<number, DeadlineList>();

  /** Calls `expire` after so many milliseconds, unless it has ended by then. */
  begin(milliseconds: number, expire: () => void): Deadline {
    return (this.#lists.get(milliseconds) ?? this.#open(milliseconds)).add(expire);
  }

  #open(milliseconds: number): DeadlineList {
    const list = new DeadlineList(milliseconds);
    this.#lists.set(milliseconds, list);
    return list;
  }
}
