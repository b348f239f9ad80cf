import { randomBytes } from 'node:crypto';
import { NO_TOTALS, type Totals } from '../../telemetry/result.ts';
import { recordFacts } from './facts.ts';
import { compileFilter, parseFilter } from './filter.ts';
import type { Audience, Batch, SampledRecord } from './sampler.ts';

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

/** What a viewer wants to see. */
export interface LiveWish {
  /** As `parseFilter` reads it. */
  readonly filter: string;
  /** The id of the last message that it has. Undefined: none. */
  readonly since?: string | undefined;
  /** Without the decisions of other gateways. */
  readonly own?: boolean | undefined;
}

export interface LiveViewer {
  take(message: LiveMessage): void;
  /** The content of the greeting has changed. */
  greet?(): void;
}

/** Records for viewers that come later, or come back. */
const KEPT = 2_000;
/** Characters of these records. Clients choose the length of some members. */
const KEPT_LENGTH = 8 * 1024 * 1024;
/** The number of records above `KEPT` at which the oldest are dropped. */
const SPARE = 500;
/** Records in one message. */
const IN_MESSAGE = 50;

interface Kept {
  readonly number: number;
  readonly json: string;
  readonly key: string | undefined;
}

/** Gives the decisions of all processes to all viewers, and keeps the last ones. */
export class LiveHub {
  readonly #source: LiveSource;
  /** Differs for each start, so that no reader mistakes a number of an earlier process for a number of this process. */
  readonly #epoch = randomBytes(6).toString('base64url');
  readonly #viewers = new Map<number, LiveViewer>();
  #audiences: Audience[] = [];
  #length = 0;
  readonly #kept: Kept[] = [];
  readonly #byKey = new Map<string, string>();
  #number = 0;
  #nextAudience = 1;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** The current audiences. A source that starts later, such as a new worker, gets them. */
  get audiences(): readonly Audience[] {
    return this.#audiences;
  }

  /** Names this start of the gateway. Numbers of decisions count from it. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Begins with the kept records that match and come after `since`. Returns a function that removes the viewer. */
  open(wish: LiveWish, viewer: LiveViewer): () => void {
    const id = this.#nextAudience++;
    this.#replay(wish, viewer);
    this.#viewers.set(id, viewer);
    const { filter, own } = wish;
    this.#changed([...this.#audiences, { id, filter, ...(own && { own }) }]);
    return () => {
      if (this.#viewers.delete(id)) this.#changed(this.#audiences.filter((each) => each.id !== id));
    };
  }

  /** The kept records that match, oldest first, as JSON. */
  recent(wish: LiveWish): readonly string[] {
    return this.#matching(wish).map(({ json }) => json);
  }

  #replay(wish: LiveWish, viewer: LiveViewer): void {
    const kept = this.#matching(wish);
    for (let at = 0; at < kept.length; at += IN_MESSAGE) {
      const some = kept.slice(at, at + IN_MESSAGE);
      const id = this.#idOf(some.at(-1)?.number ?? 0);
      viewer.take({ id, records: some.map(({ json }) => json), left: 0, totals: NO_TOTALS });
    }
    viewer.take({ id: this.#idOf(this.#number), records: [], left: 0, totals: NO_TOTALS });
  }

  #matching({ filter, since, own }: LiveWish): readonly Kept[] {
    const from = this.#numberOf(since);
    const parsed = parseFilter(filter);
    if (!parsed.ok) return [];
    const wanted = this.#kept.filter(({ number, key }) => number > from && !(own === true && key !== undefined));
    if (parsed.words.length === 0) return wanted;
    const matches = compileFilter(parsed.words, recordFacts);
    return wanted.filter(({ json }) => matches(JSON.parse(json)));
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
      viewer.take({ id: this.#idOf(this.#number), records, left: left.get(audience) ?? 0, totals: batch.totals });
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
    this.#length += told.length;
    if (key !== undefined) this.#byKey.set(key, told);
    if (this.#kept.length > KEPT + SPARE || this.#length > KEPT_LENGTH) this.#forget();
    return told;
  }

  /** Leaves room, so that it need not run for each record. */
  #forget(): void {
    let count = Math.max(0, this.#kept.length - KEPT);
    let length = this.#kept.slice(0, count).reduce((sum, { json }) => sum + json.length, 0);
    while (this.#length - length > KEPT_LENGTH / 2 && this.#length > KEPT_LENGTH)
      length += this.#kept[count++]?.json.length ?? 0;
    for (const { key } of this.#kept.splice(0, count)) if (key !== undefined) this.#byKey.delete(key);
    this.#length -= length;
  }

  #idOf(number: number): string {
    return `${this.#epoch}.${number}`;
  }

  #numberOf(since: string | undefined): number {
    const [epoch, number] = since?.split('.') ?? [];
    const start = this.#number - KEPT;
    return epoch === this.#epoch && number !== undefined && /^\d{1,15}$/.test(number)
      ? Math.max(Number(number), start)
      : start;
  }
}
