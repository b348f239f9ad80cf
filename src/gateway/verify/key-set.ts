import type { Clock } from '../../base/clock.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { type KeyRing, keyRing } from '../../jwt/key-ring.ts';
import { importKeys, type RefusedKey, type VerificationKey } from '../../jwt/keys.ts';
import type { FaultLog, GatewayLog } from './fault-log.ts';
import type { Fetched } from './fetch-json.ts';
import type { KeySource } from './key-source.ts';
import { kidMemory } from './kid-memory.ts';

export type FoundKeys =
  | { readonly kind: 'keys'; readonly keys: readonly VerificationKey[] }
  /** The server has no such key. */
  | { readonly kind: 'unknown' }
  /** It had one, and with it ended what the key signed. */
  | { readonly kind: 'revoked' }
  /** Whether it has one cannot be known now. */
  | { readonly kind: 'out'; readonly detail: string };

/** The keys of one authorization server, as last seen. */
export interface KeySet {
  /**
   * At once when the key is here; waits for one shared fetch when it may have appeared since. `subject`: whose token it
   * is, for keys that are one user's.
   */
  find(alg: AlgorithmName, kid: string | undefined, subject?: string | undefined): FoundKeys | Promise<FoundKeys>;
  /** Whether a key of this name is here. */
  knows(kid: string): boolean;
  /** Whether what this key verified still counts. */
  holds(key: VerificationKey): boolean;
  /** Settles after the first attempt; never rejects. */
  start(): Promise<void>;
  tried(): boolean;
  usable(): boolean;
  ageSeconds(): number | undefined;
  close(): void;
}

export interface KeySetOptions {
  readonly source: KeySource;
  readonly algorithms: readonly AlgorithmName[];
  /** Milliseconds, as configured. */
  readonly ttl: number;
  readonly cooldown: number;
  readonly staleIfError: number;
  readonly clock: Clock;
  readonly log: GatewayLog;
  readonly faults: FaultLog;
}

/** Milliseconds in which a request without any keys does not try again what just failed. */
const COLD_PAUSE = 1_000;
const SHORTEST_RETRY = 100;
/** What timers can hold. */
const LONGEST_WAIT = 2 ** 31 - 1;
const UNKNOWN: FoundKeys = { kind: 'unknown' };
const STALE: FoundKeys = { kind: 'out', detail: 'the key set has gone stale' };

export function keySet(options: KeySetOptions): KeySet {
  const { source, algorithms, ttl, cooldown, staleIfError, clock, faults } = options;
  const kids = kidMemory(cooldown, clock);
  let ring: KeyRing | undefined;
  let loadedAt = 0;
  let usableUntil = Number.NEGATIVE_INFINITY;
  let failure: string | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let tried = false;
  let closed = false;
  let refusedBefore = '[]';
  let flight: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const current = () => (clock.monotonic() < usableUntil ? ring : undefined);

  const accept = (keys: readonly VerificationKey[], refused: readonly RefusedKey[], age: number) => {
    ring = keyRing(keys);
    loadedAt = clock.monotonic() - age;
    usableUntil = loadedAt + ttl + staleIfError;
    failure = undefined;
    faults.recovered();
    const reasons = JSON.stringify(refused);
    if (reasons !== refusedBefore) options.log.warn({ refused }, 'keys of a key set are not used');
    refusedBefore = reasons;
  };

  const fail = (detail: string) => {
    failure = detail;
    failedAt = clock.monotonic();
    // A fetch that closing cut short is no fault of the server.
    if (!closed) faults.failed(detail);
  };

  /** A set without one usable key is no better than none: the last good one is kept (RFC 7517 §5). */
  const take = async (loaded: Fetched) => {
    const imported = loaded.kind === 'json' ? await importKeys(loaded.value, algorithms, ring?.keys) : undefined;
    if (imported !== undefined && imported.keys.length > 0) accept(imported.keys, imported.refused, ageOf(loaded));
    else fail(whyUnusable(loaded, imported?.refused));
  };

  /** Never rejects: whatever went wrong, the next attempt comes. */
  const attempt = async () => {
    try {
      await take(await source.load());
    } catch (error) {
      fail(`internal: ${(error as Error).name}`);
    } finally {
      tried = true;
      flight = undefined;
      schedule();
    }
  };

  /** A good set that came unasked takes the place of the next fetch. */
  const unfollow = source.follow?.((set) => {
    if (!closed && set.kind === 'json') void take(set).then(schedule, () => {});
  });

  const refresh = (): Promise<void> => {
    flight ??= attempt();
    return flight;
  };

  const schedule = () => {
    clearTimeout(timer);
    if (closed) return;
    const retry = Math.max(SHORTEST_RETRY, Math.min(source.every, cooldown));
    timer = setTimeout(refresh, Math.min(failure === undefined ? source.every : retry, LONGEST_WAIT)).unref();
  };

  /** Once the last word is a failure, or a set that has gone stale since, an absent key may as well be a new one. */
  const absent = (): FoundKeys => {
    if (failure !== undefined) return { kind: 'out', detail: failure };
    return current() === undefined ? STALE : UNKNOWN;
  };

  const afterFetch = async (alg: AlgorithmName, kid: string | undefined): Promise<FoundKeys> => {
    await refresh();
    const keys = current()?.candidates(alg, kid) ?? [];
    if (keys.length > 0) return { kind: 'keys', keys };
    const found = absent();
    if (found === UNKNOWN && source.isNewer?.() !== false) kids.remember(kid);
    return found;
  };

  return {
    find(alg, kid) {
      const now = current();
      const keys = now?.candidates(alg, kid) ?? [];
      if (keys.length > 0) return { kind: 'keys', keys };
      const hasFailed = failure !== undefined && clock.monotonic() < failedAt + COLD_PAUSE;
      const cold = now === undefined && (flight !== undefined || !hasFailed);
      const worthIt = now !== undefined && kids.mayAsk(kid, now, flight !== undefined);
      return cold || worthIt ? afterFetch(alg, kid) : absent();
    },
    knows: (kid) => ring?.knows(kid) === true,
    holds: (key) => ring?.holds(key) === true && clock.monotonic() < usableUntil,
    start: refresh,
    tried: () => tried,
    usable: () => current() !== undefined,
    ageSeconds: () => (ring === undefined ? undefined : Math.floor((clock.monotonic() - loadedAt) / 1000)),
    close() {
      closed = true;
      unfollow?.();
      clearTimeout(timer);
    },
  };
}

function ageOf(loaded: Fetched): number {
  return loaded.kind === 'json' ? (loaded.age ?? 0) : 0;
}

function whyUnusable(loaded: Fetched, refused: readonly RefusedKey[] | undefined): string {
  if (loaded.kind === 'failed') return loaded.detail;
  if (refused === undefined) return 'not a key set, or one with too many keys';
  return `no usable key${refused[0] === undefined ? '' : `: ${refused[0].reason}`}`;
}
