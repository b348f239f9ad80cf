import { type Clock, forgettingClock, seconds } from '../../base/clock.ts';
import type { TokenMarks } from '../message/identity.ts';
import { Histogram } from '../message/tally.ts';
import { DenyList } from './deny-list.ts';
import { eventKinds, type FeedEventKind, type FeedMessage, type RevocationEvent } from './events.ts';
import type { FeedSource, OpenFeed } from './follow-feed.ts';

/** What happens to locally verified tokens while the feed may be missing revocations. */
export type OnStale = 'introspect' | 'deny' | 'allow';

/** The revocations that one server's feed has reported. Each verification checks them. */
export interface Revocations {
  /** Changes with every event. A result with another number must be checked again. */
  readonly generation: number;
  /** Changes when answers must be fetched again, including those in flight. */
  readonly epoch: number;
  /** Changes when the feed is up to date again after a gap. Events in the gap may not have reached this process. */
  readonly span: number;
  /** The kind of the event that ended the token. Undefined: none did. */
  denies(marks: TokenMarks): FeedEventKind | undefined;
  isDead(kid: string): boolean;
  /** Undefined: a token without a revocation here is valid, or the operator accepts the risk. */
  doubt(): 'introspect' | 'deny' | undefined;
  /** Whether the gateway knows all recent revocations. */
  inStep(): boolean;
  readonly stats: FeedStats | undefined;
  /** Resolves once the feed is up to date, or once it is clear that it is not. Never rejects. */
  start(): Promise<void>;
  close(): void;
}

export interface FeedStats {
  readonly connected: boolean;
  readonly stale: boolean;
  readonly lagSeconds: number;
  readonly live: number;
  readonly events: ReadonlyMap<FeedEventKind | 'reset', number>;
  readonly apply: Histogram;
}

export interface RevocationRules {
  readonly onStale: OnStale;
  /** Milliseconds. */
  readonly maxStaleness: number;
  /** Milliseconds after its `exp` for which a token is still accepted. */
  readonly skew: number;
  /** The maximum number of live entries. */
  readonly most?: number;
}

export interface Apply {
  /** Cached answers and answers in flight must be fetched again. */
  readonly forget: () => void;
  /** Tokens ended, so the streams that they opened must end, too. */
  readonly ended: (event: RevocationEvent) => void;
}

/** A server without a feed. Only a call to the server shows its revocations. */
export const NO_FEED: Revocations = {
  generation: 0,
  epoch: 0,
  span: 0,
  denies: () => undefined,
  isDead: () => false,
  doubt: () => undefined,
  inStep: () => false,
  stats: undefined,
  start: async () => {},
  close() {},
};

/** Milliseconds. An event is reported for at least this long, even after its tokens have expired. */
const TOLD_FOR = 300_000;
/** Milliseconds. A start waits for the feed this long. */
const START = 2_000;
const SWEEP_EVERY = 1_000;

export function revocations(
  open: OpenFeed,
  rules: RevocationRules,
  apply: Apply & { readonly clock: Clock },
): Revocations {
  return new FollowedFeed(open, rules, apply);
}

/**
 * `absent`: the server answered that it has no feed. `never`: the feed was never up to date, or the server has not said yet
 * if it has one. `lost`: the feed was up to date, and has lost its connection.
 */
type Connection = 'absent' | 'never' | 'connected' | 'lost';

class FollowedFeed implements Revocations {
  readonly #rules: RevocationRules;
  readonly #apply: Apply & { readonly clock: Clock };
  readonly #list: DenyList;
  readonly #source: FeedSource;
  readonly #measured = {
    events: new Map<FeedEventKind | 'reset', number>([...eventKinds, 'reset' as const].map((kind) => [kind, 0])),
    apply: new Histogram(),
  };
  /** Resolves once the feed is up to date, or has turned out not to be. */
  readonly #first = Promise.withResolvers<void>();
  readonly #forgetting: () => number;
  #connection: Connection = 'never';
  /** When the feed was last up to date, or was opened: monotonic milliseconds. */
  #lastInStep: number;
  #sweeping: NodeJS.Timeout | undefined;
  #epoch = 0;
  #span = 0;

  constructor(open: OpenFeed, rules: RevocationRules, apply: Apply & { readonly clock: Clock }) {
    this.#rules = rules;
    this.#apply = apply;
    this.#list = new DenyList({
      leeway: Math.ceil(rules.skew / 1000),
      ...(rules.most !== undefined && { most: rules.most }),
    });
    this.#forgetting = forgettingClock(apply.clock);
    this.#lastInStep = apply.clock.monotonic();
    this.#source = open((message) => this.#hear(message));
  }

  get generation(): number {
    return this.#list.generation;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get span(): number {
    return this.#span;
  }

  get stats(): FeedStats | undefined {
    if (this.#connection === 'absent') return undefined;
    return {
      connected: this.#connection === 'connected',
      stale: !this.inStep(),
      lagSeconds: this.#sinceInStep() / 1000,
      live: this.#list.size,
      ...this.#measured,
    };
  }

  denies(marks: TokenMarks): FeedEventKind | undefined {
    return this.#list.denies(marks);
  }

  isDead(kid: string): boolean {
    return this.#list.isDead(kid);
  }

  doubt(): 'introspect' | 'deny' | undefined {
    const { onStale } = this.#rules;
    return onStale === 'allow' || this.#connection === 'absent' || this.inStep() ? undefined : onStale;
  }

  inStep(): boolean {
    const { lacksUntil } = this.#list;
    return (
      this.#wasInStep() &&
      this.#sinceInStep() < this.#rules.maxStaleness &&
      (lacksUntil === 0 || seconds(this.#apply.clock) >= lacksUntil)
    );
  }

  async start(): Promise<void> {
    if (this.#sweeping !== undefined) return this.#first.promise;
    this.#sweeping = setInterval(() => this.#list.sweep(this.#forgetting()), SWEEP_EVERY).unref();
    this.#source.start();
    const late = setTimeout(this.#first.resolve, START).unref();
    await this.#first.promise;
    clearTimeout(late);
  }

  close(): void {
    clearInterval(this.#sweeping);
    this.#source.close();
    this.#first.resolve();
  }

  #wasInStep(): boolean {
    return this.#connection === 'connected' || this.#connection === 'lost';
  }

  #sinceInStep(): number {
    return this.#apply.clock.monotonic() - this.#lastInStep;
  }

  #hear(message: FeedMessage): void {
    if (message.kind === 'event') this.#event(message.event);
    else if (message.kind === 'reset') this.#reset();
    else {
      this.#become(message.kind);
      this.#first.resolve();
    }
  }

  #event(event: RevocationEvent): void {
    const { clock, ended } = this.#apply;
    const began = clock.monotonic();
    // An event without a place cannot be found later, so all cached answers must be fetched again.
    if (!this.#list.add(event)) this.#renew();
    this.#count(event.kind);
    ended(event);
    this.#measured.apply.add(clock.monotonic() - began);
  }

  #reset(): void {
    this.#count('reset');
    this.#renew();
  }

  #become(kind: 'in_step' | 'lost' | 'absent'): void {
    if (kind === 'in_step') this.#nowInStep();
    // A feed that once worked and is now gone still counts as a feed.
    else if (this.#wasInStep()) this.#connection = 'lost';
    else this.#connection = kind === 'absent' ? 'absent' : 'never';
  }

  #nowInStep(): void {
    if (!this.inStep() || this.#sinceInStep() > TOLD_FOR) this.#span++;
    this.#lastInStep = this.#apply.clock.monotonic();
    this.#connection = 'connected';
  }

  #count(kind: FeedEventKind | 'reset'): void {
    const { events } = this.#measured;
    events.set(kind, (events.get(kind) ?? 0) + 1);
  }

  #renew(): void {
    this.#epoch++;
    this.#apply.forget();
  }
}
