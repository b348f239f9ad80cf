import { type Clock, forgettingClock, seconds } from '../../base/clock.ts';
import { Histogram } from '../telemetry/histogram.ts';
import { DenyList, type TokenMarks } from './deny-list.ts';
import { type EventKind, eventKinds, type FeedMessage, type FeedSink, type RevocationEvent } from './events.ts';
import type { FeedSource, OpenFeed } from './follow-feed.ts';

/** What is done with tokens that were verified here alone, while the feed might hold something back. */
export type OnStale = 'introspect' | 'deny' | 'allow';

/** What was revoked, as far as one server's feed has said; what verifies asks it on every request. */
export interface Revocations {
  /** Changes with every event: what was looked at under another number must be looked at again. */
  readonly generation: number;
  /** Changes when answers must be asked for anew, those on their way too. */
  readonly epoch: number;
  /** Changes when the feed is in step again after it was not: what ended before may have been told to nobody here. */
  readonly span: number;
  denies(marks: TokenMarks): boolean;
  isDead(kid: string): boolean;
  /** Undefined: what was not revoked here is not revoked, or the operator takes it for that. */
  doubt(): 'introspect' | 'deny' | undefined;
  /** Whether all that was revoked until a moment ago is known. */
  inStep(): boolean;
  readonly stats: FeedStats | undefined;
  /** Settles once the feed is in step, or is seen not to be; never rejects. */
  start(): Promise<void>;
  close(): void;
}

export interface FeedStats {
  readonly connected: boolean;
  readonly stale: boolean;
  readonly lagSeconds: number;
  readonly live: number;
  readonly events: ReadonlyMap<EventKind | 'reset', number>;
  readonly apply: Histogram;
}

export interface RevocationRules {
  readonly onStale: OnStale;
  /** Milliseconds. */
  readonly maxStaleness: number;
  /** Milliseconds past its `exp` for which a token is still accepted. */
  readonly skew: number;
  /** Nobody asked for the feed: until it is seen there is none. */
  readonly optional: boolean;
  /** Live entries at the most. */
  readonly most?: number;
}

export interface Apply {
  /** What is remembered, and whatever is on its way, must be asked for anew. */
  readonly forget: () => void;
  /** Tokens ended, and with them whatever is open by their leave. */
  readonly ended: (event: RevocationEvent) => void;
}

/** A server without a feed: what it revokes is seen when it is asked. */
export const NO_FEED: Revocations = {
  generation: 0,
  epoch: 0,
  span: 0,
  denies: () => false,
  isDead: () => false,
  doubt: () => undefined,
  inStep: () => false,
  stats: undefined,
  start: async () => {},
  close() {},
};

/** Milliseconds for which an event is told at least, also after its tokens have ended. */
const TOLD_FOR = 300_000;
/** Milliseconds for which a start waits for the feed. */
const START = 2_000;
const SWEEP_EVERY = 1_000;

export function revocations(
  open: OpenFeed,
  { onStale, maxStaleness, skew, optional, most }: RevocationRules,
  { clock, forget, ended }: Apply & { readonly clock: Clock },
): Revocations {
  const list = new DenyList({ leeway: Math.ceil(skew / 1000), ...(most !== undefined && { most }) });
  const counts = new Map<EventKind | 'reset', number>([...eventKinds, 'reset' as const].map((kind) => [kind, 0]));
  const apply = new Histogram();
  const opened = clock.monotonic();
  const first = Promise.withResolvers<void>();
  let lastInStep: number | undefined;
  let connected = false;
  let absent = optional;
  let epoch = 0;
  let span = 0;
  const forgetting = forgettingClock(clock);
  let sweeping: NodeJS.Timeout | undefined;

  const renew = () => {
    epoch++;
    forget();
  };
  const handlers: { [Kind in FeedMessage['kind']]: (message: Extract<FeedMessage, { kind: Kind }>) => void } = {
    event({ event }) {
      const began = clock.monotonic();
      // What finds no place can be found by nobody later, so all that is remembered is asked for anew.
      if (!list.add(event)) renew();
      counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
      ended(event);
      apply.add(clock.monotonic() - began);
    },
    reset() {
      counts.set('reset', (counts.get('reset') ?? 0) + 1);
      renew();
    },
    in_step() {
      if (!inStep() || clock.monotonic() - (lastInStep ?? opened) > TOLD_FOR) span++;
      lastInStep = clock.monotonic();
      connected = true;
      absent = false;
      first.resolve();
    },
    lost() {
      connected = false;
      absent = false;
      first.resolve();
    },
    absent() {
      connected = false;
      // A feed that was followed and is refused now is no feed that never was.
      absent = lastInStep === undefined;
      first.resolve();
    },
  };
  const sink: FeedSink = (message) => (handlers[message.kind] as (message: FeedMessage) => void)(message);
  const source: FeedSource = open(sink);
  const inStep = () =>
    lastInStep !== undefined &&
    clock.monotonic() - lastInStep < maxStaleness &&
    (list.lacksUntil === 0 || seconds(clock) >= list.lacksUntil);

  return {
    get generation() {
      return list.generation;
    },
    get epoch() {
      return epoch;
    },
    get span() {
      return span;
    },
    denies: (marks) => list.denies(marks),
    isDead: (kid) => list.isDead(kid),
    doubt: () => (onStale === 'allow' || absent || inStep() ? undefined : onStale),
    inStep,
    get stats() {
      if (absent) return undefined;
      const lagSeconds = (clock.monotonic() - (lastInStep ?? opened)) / 1000;
      return { connected, stale: !inStep(), lagSeconds, live: list.size, events: counts, apply };
    },
    async start() {
      if (sweeping !== undefined) return first.promise;
      sweeping = setInterval(() => list.sweep(forgetting()), SWEEP_EVERY).unref();
      source.start();
      const late = setTimeout(first.resolve, START).unref();
      await first.promise;
      clearTimeout(late);
    },
    close() {
      clearInterval(sweeping);
      source.close();
      first.resolve();
    },
  };
}
