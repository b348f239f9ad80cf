import { addressBlock } from '../../base/client-address.ts';

/** The key of one series of attempts. */
export interface Tried {
  readonly client_id?: string | undefined;
  readonly username?: string | undefined;
  readonly address?: string | undefined;
  /** Which limit it was. */
  readonly detail?: string | undefined;
}

export interface AuditTally<Event extends string, Facts extends Tried> {
  /** Counts another attempt that was not checked. */
  count(event: Event, facts: Facts): void;
  /** Tells what was counted so far, and counts from the start. */
  flush(): void;
}

interface Series<Event, Facts> {
  readonly event: Event;
  readonly facts: Facts;
  /** After the first one, which was logged at once. */
  more: number;
}

/** Series that are told apart; of all others those of one event are one. */
const MOST = 1_000;

export interface TallyOptions<Event extends string, Facts extends Tried> {
  /** Milliseconds, from the first try. */
  readonly window: number;
  /** Facts of the series that is about all others. */
  readonly others: Facts;
  /** `count`: of how many tries this line tells; undefined for one. */
  readonly tell: (event: Event, facts: Facts, count?: number) => void;
}

/**
 * Endless guesses must not fill a file. The first attempt without a check is logged, and at the end of the window the
 * number of the others. So a window has two lines for each client or user and address block, and at most `MOST` such pairs.
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
