import { addressBlock } from '../../base/client-address.ts';

/** The key of a series of attempts. */
export interface Tried {
  readonly client_id?: string | undefined;
  readonly username?: string | undefined;
  readonly address?: string | undefined;
  /** The limit that was reached. */
  readonly detail?: string | undefined;
}

export interface AuditTally<Event extends string, Facts extends Tried> {
  /** Counts another attempt that was not checked. */
  count(event: Event, facts: Facts): void;
  /** Logs the counts so far, and starts new ones. */
  flush(): void;
}

interface Series<Event, Facts> {
  readonly event: Event;
  readonly facts: Facts;
  /** The number after the first attempt, which was logged at once. */
  more: number;
}

/** The number of separate series. All further series of one event share one count. */
const MOST = 1_000;

export interface TallyOptions<Event extends string, Facts extends Tried> {
  /** Milliseconds, from the first try. */
  readonly window: number;
  /** The facts of the shared series. */
  readonly others: Facts;
  /** `count`: the number of further attempts; undefined for the first attempt. */
  readonly tell: (event: Event, facts: Facts, count?: number) => void;
}

/**
 * Endless guesses must not fill a file. The first attempt without a check is logged at once. At the end of the window, one line
 * has the number of the others. So a window has two lines for each pair of a client or user and an address block, and
 * at most `MOST` pairs.
 */
export function buildTally<Event extends string, Facts extends Tried>({
  window,
  others,
  tell,
}: TallyOptions<Event, Facts>): AuditTally<Event, Facts> {
  const counted = new Map<string, Series<Event, Facts>>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const { event, facts, more } of counted.values()) if (more > 0) tell(event, facts, more);
    counted.clear();
  };
  return {
    count(event, facts) {
      timer ??= setTimeout(flush, window).unref();
      const own = nameOf(event, facts);
      const known = counted.get(own) ?? (counted.size < MOST ? undefined : counted.get(event));
      if (known !== undefined) {
        known.more++;
        return;
      }
      const isFull = counted.size >= MOST;
      const series = { event, facts: isFull ? others : facts, more: 0 };
      counted.set(isFull ? event : own, series);
      tell(event, series.facts);
    },
    flush,
  };
}

function nameOf(event: string, { client_id, username, address, detail }: Tried): string {
  return JSON.stringify([event, client_id, username, address && addressBlock(address), detail]);
}
