import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { DecisionRecord } from '../../telemetry/decision-record.ts';
import { factsIn } from './facts.ts';
import { type Filter, parseFilter } from './filter.ts';
import type { Audience, Batch, SampledRecord, Totals } from './sampler.ts';

/** Where the decisions are made: this process, or the workers of this process. */
export interface LiveSource {
  /** Replaces all audiences. Without an audience, no decision is described. */
  watch(audiences: readonly Audience[]): void;
}

/** One message to a viewer. */
export interface LiveMessage {
  /** The viewer continues after this id when it connects again. */
  readonly id: string;
  /** Records as JSON, oldest first. */
  readonly records: readonly string[];
  /** Decisions that match, and are not among the records. */
  readonly left: number;
  readonly totals: Totals;
}

export interface LiveViewer {
  take(message: LiveMessage): void;
  /** What the greeting says has changed. */
  greet?(): void;
}

/** Records for viewers that come later, or come back. */
const KEPT = 2_000;

interface Kept {
  readonly number: number;
  readonly json: string;
  readonly key: string | undefined;
}

const NONE: Totals = { passed: 0, refused: 0, failed: 0 };

/** Gives the decisions of all processes to all viewers, and keeps the last ones. */
export class LiveHub {
  readonly #source: LiveSource;
  readonly #clock: Clock;
  /** Differs for each start, so that a number of an earlier process is not taken for one of this process. */
  readonly #epoch = randomBytes(6).toString('base64url');
  readonly #viewers = new Map<number, LiveViewer>();
  #audiences: Audience[] = [];
  readonly #kept: Kept[] = [];
  readonly #byKey = new Map<string, string>();
  #number = 0;
  #nextAudience = 1;
  #pauses = 0;

  constructor(source: LiveSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** The audiences of a source that starts later, such as a new worker. */
  get audiences(): readonly Audience[] {
    return this.#audiences;
  }

  /**
   * Begins with the kept records that match and come after `since`. Returns a function that ends it.
   * @param filter as `parseFilter` reads it
   */
  open(filter: string, since: string | undefined, viewer: LiveViewer): () => void {
    const id = this.#nextAudience++;
    if (this.#audiences.length === 0 && this.#number > 0) this.#pauses = this.#clock.now();
    viewer.take({ id: this.#id(), records: this.recent(filter, since), left: 0, totals: NONE });
    this.#viewers.set(id, viewer);
    this.#changed([...this.#audiences, { id, filter }]);
    return () => {
      if (this.#viewers.delete(id)) this.#changed(this.#audiences.filter((each) => each.id !== id));
    };
  }

  /** Milliseconds since the epoch. Before this time, no one watched, so decisions are missing. 0: none are missing. */
  get gapBefore(): number {
    return this.#pauses;
  }

  /** The kept records that match, oldest first, as JSON. */
  recent(filter: string, since: string | undefined): readonly string[] {
    const from = this.#numberOf(since);
    const later = this.#kept.filter(({ number }) => number > from);
    const parsed = parseFilter(filter);
    if (!parsed.ok) return [];
    return (filter.trim() === '' ? later : later.filter(({ json }) => isIn(json, parsed.filter))).map(
      ({ json }) => json,
    );
  }

  /** Tells all viewers that the greeting has changed. */
  greet(): void {
    for (const viewer of this.#viewers.values()) viewer.greet?.();
  }

  /** A batch of one process. `from`: the process, if there are several. `only`: the batch is for this audience alone. */
  receive(batch: Batch, from?: string, only?: number): void {
    const left = new Map(batch.left);
    const numbered = batch.records.map((record) => ({ ...record, json: this.#keep(record, from) }));
    for (const [audience, viewer] of this.#viewers) {
      if (only !== undefined && audience !== only) continue;
      const records = numbered.filter(({ audiences }) => audiences.includes(audience)).map(({ json }) => json);
      viewer.take({ id: this.#id(), records, left: left.get(audience) ?? 0, totals: batch.totals });
    }
  }

  #changed(audiences: Audience[]): void {
    this.#audiences = audiences;
    this.#source.watch(audiences);
  }

  /** A decision with a key is kept once, and has one number for all viewers. */
  #keep({ json, key }: SampledRecord, from: string | undefined): string {
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (known !== undefined) return known;
    const number = ++this.#number;
    const told = `{"number":${number},${from === undefined ? '' : `"process":${JSON.stringify(from)},`}${json.slice(1)}`;
    this.#kept.push({ number, json: told, key });
    if (key !== undefined) this.#byKey.set(key, told);
    if (this.#kept.length > KEPT * 2) this.#forget();
    return told;
  }

  #forget(): void {
    for (const { key } of this.#kept.splice(0, this.#kept.length - KEPT))
      if (key !== undefined) this.#byKey.delete(key);
  }

  #id(): string {
    return `${this.#epoch}.${this.#number}`;
  }

  #numberOf(since: string | undefined): number {
    const [epoch, number] = since?.split('.') ?? [];
    const start = this.#number - KEPT;
    return epoch === this.#epoch && number !== undefined && /^\d{1,15}$/.test(number)
      ? Math.max(Number(number), start)
      : start;
  }
}

function isIn(json: string, filter: Filter): boolean {
  return filter(factsIn(JSON.parse(json) as Partial<DecisionRecord>));
}
