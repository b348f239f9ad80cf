import { shareOf } from './client-address.ts';
import { Lane, Semaphore } from './semaphore.ts';

/** The caller of a job. */
export interface Asker {
  /** The group that shares places, such as an address block. */
  readonly block: string;
  /** The largest share of all places, running and waiting, for this block. 1 means all places. */
  readonly share: number;
  /** Jobs of known callers have separate places, which no other caller can take. Their blocks have separate names. */
  readonly isKnown?: boolean;
}

/** A queue for jobs of which a machine can run only a few at a time. */
export interface BoundedQueue {
  /**
   * Returns the job's result. Blocks take turns, with known ones too, so one long queue delays no other. Returns
   * undefined without starting the job if the block has its whole share. Does the same if the queue is full and no
   * block has more places than this one. A waiting job may also lose its place later, to a block with fewer places.
   * Jobs without a block have no share.
   */
  run<Result>(job: () => Promise<Result>, asker?: Asker): Promise<Result | undefined>;
  /** The number of running and waiting jobs of each block; for tests and views. */
  held(): { readonly known: ReadonlyMap<string, number>; readonly strangers: ReadonlyMap<string, number> };
}

export interface QueueLimits {
  readonly atOnce: number;
  /** The number of waiting places, in total. */
  readonly waiting: number;
  /** The number of waiting places that only known blocks may use. Default: 0, and then known blocks wait with all others. */
  readonly kept?: number;
}

export function buildBoundedQueue({ atOnce, waiting, kept = 0 }: QueueLimits): BoundedQueue {
  const halls = { known: new Hall(kept), strangers: new Hall(waiting - kept) };
  const slots = new Semaphore(atOnce, inTurn(halls.known, halls.strangers));
  return {
    async run(job, asker) {
      const hall = asker?.isKnown && kept > 0 ? halls.known : halls.strangers;
      const line = hall.enter(asker, slots.isFree);
      if (line === undefined) return undefined;
      const isCalled = await (slots.tryAcquire() || hall.wait(line));
      try {
        return isCalled ? await job() : undefined;
      } finally {
        hall.leave(line);
        if (isCalled) slots.release();
      }
    },
    held: () => ({ known: halls.known.held(), strangers: halls.strangers.held() }),
  };
}

/** The halls take turns while both have waiters. */
function inTurn(known: Hall, strangers: Hall): () => Lane | undefined {
  let last = strangers;
  return () => {
    const [one, other] = last === known ? [strangers, known] : [known, strangers];
    last = one.waiting > 0 ? one : other;
    return last.call();
  };
}

/** The jobs of one block. */
class Line {
  readonly block: string;
  readonly lane = new Lane();
  /** Running and waiting jobs. */
  held = 0;

  constructor(block: string) {
    this.block = block;
  }
}

/** The name for jobs without a block. */
const NO_BLOCK = '';

/** A set of lines that wait. They take turns in the order of this map. */
class Hall {
  readonly #lines = new Map<string, Line>();
  readonly #places: number;
  waiting = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** Undefined: there is no place. */
  enter(asker: Asker | undefined, goesAtOnce: boolean): Line | undefined {
    const line = this.#lines.get(asker?.block ?? NO_BLOCK) ?? new Line(asker?.block ?? NO_BLOCK);
    const most = asker === undefined ? Number.POSITIVE_INFINITY : shareOf(asker.share, this.#places);
    if (line.held >= most) return undefined;
    if (!goesAtOnce && this.waiting >= this.#places && !this.#makeRoom(line)) return undefined;
    line.held++;
    this.#lines.set(line.block, line);
    return line;
  }

  /** Resolves with false if another job took its place. */
  wait({ lane }: Line): Promise<boolean> {
    this.waiting++;
    return lane.wait();
  }

  /** The lane whose turn it is, so that its first waiter starts. The lane then moves to the end. */
  call(): Lane | undefined {
    const line = this.#lines.values().find(({ lane }) => lane.size > 0);
    if (line === undefined) return undefined;
    this.#lines.delete(line.block);
    this.#lines.set(line.block, line);
    this.waiting--;
    return line.lane;
  }

  leave(line: Line): void {
    line.held--;
    if (line.held === 0) this.#lines.delete(line.block);
  }

  held(): ReadonlyMap<string, number> {
    return new Map(this.#lines.values().map(({ block, held }) => [block, held]));
  }

  /** Dismisses the last waiter of the longest line, if that line has more waiters than this one will have. */
  #makeRoom({ lane: { size } }: Line): boolean {
    const longest = this.#lines
      .values()
      .reduce<Line | undefined>((one, other) => (one && one.lane.size >= other.lane.size ? one : other), undefined);
    if (longest === undefined || longest.lane.size <= size + 1) return false;
    this.waiting--;
    return longest.lane.dismissLast();
  }
}
