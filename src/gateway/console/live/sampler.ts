import type { Clock } from '../../../base/clock.ts';
import type { Decision } from '../../telemetry/decision-record.ts';
import type { Decisions } from '../../telemetry/decisions.ts';
import { NO_TOTALS, resultOf, type Totals } from '../../telemetry/result.ts';
import { decisionFacts } from './facts.ts';
import { compileFilter, type Filter, parseFilter } from './filter.ts';
import { liveRecord } from './live-record.ts';

/** A viewer, or several viewers with the same filter. */
export interface Audience {
  readonly id: number;
  /** As `parseFilter` reads it. */
  readonly filter: string;
  /** Another gateway watches, and asks only for the decisions of this one. */
  readonly own?: boolean;
}

export interface SampledRecord {
  readonly audiences: readonly number[];
  readonly json: string;
  /** Equal for the same decision, if it may come several times. */
  readonly key?: string;
}

export interface Batch {
  readonly records: readonly SampledRecord[];
  /** Audience → matching decisions that are not among the records, because there were too many. */
  readonly left: readonly (readonly [audience: number, count: number])[];
  /** Decisions of one process since its last batch. */
  readonly totals: Totals;
}

/** Milliseconds. */
const EVERY = 250;
/**
 * Records for one audience: of forwarded requests, and of other requests. So a flood of forwarded requests does not hide the few that
 * are refused. A burst may have more records than the time of a batch allows.
 */
const EACH_BATCH = 25;
const BURST = 100;

/** Most decisions of a busy gateway have no taker, so nothing is allocated for them. */
const NO_ONE: readonly number[] = [];

interface Seat {
  readonly id: number;
  readonly matches: Filter<Decision>;
  /** Records that it may still have. */
  readonly room: { forwarded: number; other: number };
  left: number;
}

/**
 * Selects decisions of this process for live viewers. A gateway may decide more often than a person can read or a process can describe,
 * so each batch has a limited number of records, and counts the rest. Without an audience, it does nothing.
 */
export class Sampler {
  readonly #decisions: Pick<Decisions, 'observe'>;
  readonly #clock: Clock;
  readonly #take: (batch: Batch) => void;
  #seats: Seat[] = [];
  #records: Batch['records'][number][] = [];
  #totals = { ...NO_TOTALS };
  #stop: (() => void) | undefined;

  constructor(decisions: Pick<Decisions, 'observe'>, clock: Clock, take: (batch: Batch) => void) {
    this.#decisions = decisions;
    this.#clock = clock;
    this.#take = take;
  }

  /** Replaces all audiences. A filter that cannot be read matches nothing. */
  watch(audiences: readonly Audience[]): void {
    const known = new Map(this.#seats.map((seat) => [seat.id, seat]));
    this.#seats = audiences.map((audience) => known.get(audience.id) ?? seatOf(audience));
    if (this.#seats.length === 0) this.#end();
    else this.#stop ??= this.#begin();
  }

  #begin(): () => void {
    const unobserve = this.#decisions.observe((decision) => this.#observe(decision));
    const timer = setInterval(() => this.flush(), EVERY);
    timer.unref();
    return () => {
      unobserve();
      clearInterval(timer);
    };
  }

  #end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#reset();
  }

  #observe(decision: Decision): void {
    this.#totals[resultOf(decision.code, decision.status ?? 0)]++;
    const kind = decision.code === 'forwarded' ? 'forwarded' : 'other';
    let takers = NO_ONE;
    for (const seat of this.#seats) if (takes(seat, kind, decision)) takers = [...takers, seat.id];
    if (takers === NO_ONE) return;
    this.#records.push({ audiences: takers, json: JSON.stringify(liveRecord(decision, this.#clock.now())) });
  }

  /** Ends the current batch. */
  flush(): void {
    const left = this.#seats.filter((seat) => seat.left > 0).map((seat) => [seat.id, seat.left] as const);
    this.#take({ records: this.#records, left, totals: this.#totals });
    this.#reset();
  }

  #reset(): void {
    this.#records = [];
    this.#totals = { ...NO_TOTALS };
    for (const seat of this.#seats) {
      seat.left = 0;
      for (const kind of kinds) seat.room[kind] = Math.min(BURST, seat.room[kind] + EACH_BATCH);
    }
  }
}

const kinds = ['forwarded', 'other'] as const;

function seatOf({ id, filter }: Audience): Seat {
  const parsed = parseFilter(filter);
  const matches = parsed.ok ? compileFilter(parsed.words, decisionFacts) : () => false;
  return { id, matches, room: { forwarded: BURST, other: BURST }, left: 0 };
}

/** Counts the decision for this audience, and says whether it becomes a record. */
function takes(seat: Seat, kind: keyof Seat['room'], decision: Decision): boolean {
  if (!seat.matches(decision)) return false;
  if (seat.room[kind] === 0) {
    seat.left++;
    return false;
  }
  seat.room[kind]--;
  return true;
}
