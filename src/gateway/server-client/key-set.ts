import type { Clock } from '../../base/clock.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { type KeyRing, keyRing } from '../../jwt/key-ring.ts';
import { importKeys, MAX_KEYS, type RefusedKey, type VerificationKey } from '../../jwt/keys.ts';
import type { FaultLog, GatewayLog } from '../message/fault-log.ts';
import type { Fetched } from './fetch-json.ts';
import type { KeySource } from './key-source.ts';
import { type KidMemory, kidMemory } from './kid-memory.ts';

export type FoundKeys =
  | { readonly kind: 'keys'; readonly keys: readonly VerificationKey[] }
  /** The server has no such key. */
  | { readonly kind: 'unknown' }
  /** The server had this key, and ended it. Signatures of the key are no longer valid. */
  | { readonly kind: 'revoked' }
  /** The gateway cannot find out now whether the server has it. */
  | { readonly kind: 'out'; readonly detail: string };

/** The last known keys of one authorization server. */
export interface KeySet {
  /**
   * Answers at once if the key is known. If the server may have added it, waits for one shared fetch. `subject`: the
   * token's user, for keys that belong to one user.
   */
  find(alg: AlgorithmName, kid: string | undefined, subject?: string | undefined): FoundKeys | Promise<FoundKeys>;
  /** Whether a key of this name is known. */
  knows(kid: string): boolean;
  /** The keys that sign tokens of all users, for an operator who compares names. */
  published(): Iterable<Pick<VerificationKey, 'alg' | 'kid'>>;
  /** Whether tokens that this key verified are still valid. */
  holds(key: VerificationKey): boolean;
  /** Settles after the first attempt; never rejects. */
  start(): Promise<void>;
  tried(): boolean;
  usable(): boolean;
  /** Why the last attempt gave no keys. Undefined: it gave keys, or there was no attempt. */
  fault(): string | undefined;
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

/** Milliseconds. Without any keys, a request does not repeat an attempt that failed this recently. */
const COLD_PAUSE = 1_000;
const SHORTEST_RETRY = 100;
/** The longest time that a timer can hold. */
const LONGEST_WAIT = 2 ** 31 - 1;
const UNKNOWN: FoundKeys = { kind: 'unknown' };
const STALE: FoundKeys = { kind: 'out', detail: 'the key set is stale' };

/** `doctor` recognizes these faults by their words. */
export const NO_KEY_SET = 'the answer is not a key set: it has no list `keys`';
export const TOO_MANY_KEYS = 'the key set has too many keys';

export function keySet(options: KeySetOptions): KeySet {
  return new PublishedKeys(options);
}

/** The result of the last good fetch. Times are monotonic milliseconds. */
interface Loaded {
  readonly ring: KeyRing;
  readonly at: number;
  readonly usableUntil: number;
}

class PublishedKeys implements KeySet {
  readonly #options: KeySetOptions;
  readonly #kids: KidMemory;
  readonly #unfollow: (() => void) | undefined;
  #loaded: Loaded | undefined;
  /** Undefined: the last fetch was good. */
  #failure: { readonly detail: string; readonly at: number } | undefined;
  /** The keys of the last good set that are not used, as JSON. */
  #refused = '[]';
  #tried = false;
  #closed = false;
  #flight: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
    this.#kids = kidMemory(options.cooldown, options.clock);
    this.#unfollow = options.source.follow?.((set) => this.#came(set));
  }

  find(alg: AlgorithmName, kid: string | undefined): FoundKeys | Promise<FoundKeys> {
    const held = this.#held(alg, kid);
    if (held.kind === 'keys') return held;
    const cold = this.#current() === undefined && (this.#flight !== undefined || !this.#failedJustNow());
    return cold || this.#mayAsk(kid) ? this.#afterFetch(alg, kid) : held;
  }

  knows(kid: string): boolean {
    return this.#loaded?.ring.knows(kid) === true;
  }

  published(): Iterable<VerificationKey> {
    return this.#current()?.keys.values() ?? [];
  }

  holds(key: VerificationKey): boolean {
    return this.#current()?.holds(key) === true;
  }

  start(): Promise<void> {
    this.#flight ??= this.#attempt();
    return this.#flight;
  }

  tried(): boolean {
    return this.#tried;
  }

  usable(): boolean {
    return this.#current() !== undefined;
  }

  fault(): string | undefined {
    return this.#failure?.detail;
  }

  ageSeconds(): number | undefined {
    if (this.#loaded === undefined) return undefined;
    return Math.floor((this.#options.clock.monotonic() - this.#loaded.at) / 1000);
  }

  close(): void {
    this.#closed = true;
    this.#unfollow?.();
    clearTimeout(this.#timer);
  }

  #current(): KeyRing | undefined {
    const loaded = this.#loaded;
    return loaded !== undefined && this.#options.clock.monotonic() < loaded.usableUntil ? loaded.ring : undefined;
  }

  #failedJustNow(): boolean {
    return this.#failure !== undefined && this.#options.clock.monotonic() < this.#failure.at + COLD_PAUSE;
  }

  /** A fetch that began before the question may lack a key that the server has published since. */
  async #afterFetch(alg: AlgorithmName, kid: string | undefined): Promise<FoundKeys> {
    const earlier = this.#flight;
    if (earlier === undefined) return this.#afterNewFetch(alg, kid);
    await earlier;
    const found = this.#held(alg, kid);
    return found === UNKNOWN && this.#mayAsk(kid) ? this.#afterNewFetch(alg, kid) : found;
  }

  async #afterNewFetch(alg: AlgorithmName, kid: string | undefined): Promise<FoundKeys> {
    await this.start();
    const found = this.#held(alg, kid);
    if (found === UNKNOWN && this.#options.source.isNewer?.() !== false) this.#kids.remember(kid);
    return found;
  }

  #mayAsk(kid: string | undefined): boolean {
    const ring = this.#current();
    return ring !== undefined && this.#kids.mayAsk(kid, ring, this.#flight !== undefined);
  }

  #held(alg: AlgorithmName, kid: string | undefined): FoundKeys {
    const keys = this.#current()?.candidates(alg, kid) ?? [];
    return keys.length > 0 ? { kind: 'keys', keys } : this.#absent();
  }

  /** If the last attempt failed, or the set has become stale, an unknown key may be a new one. */
  #absent(): FoundKeys {
    if (this.#failure !== undefined) return { kind: 'out', detail: this.#failure.detail };
    return this.#current() === undefined ? STALE : UNKNOWN;
  }

  /** Never rejects. After any failure, there will be another attempt. */
  async #attempt(): Promise<void> {
    try {
      await this.#take(await this.#options.source.load());
    } catch (error) {
      this.#fail(`internal: ${(error as Error).name}`);
    } finally {
      this.#tried = true;
      this.#flight = undefined;
      this.#schedule();
    }
  }

  /** A good set that arrives unasked replaces the next fetch. */
  #came(set: Fetched): void {
    if (this.#closed || set.kind !== 'json') return;
    this.#take(set).then(
      () => this.#schedule(),
      () => {},
    );
  }

  /** A set without any usable key is no better than none, so the last good set stays (RFC 7517 §5). */
  async #take(loaded: Fetched): Promise<void> {
    const before = this.#loaded?.ring.keys;
    const { algorithms } = this.#options;
    const imported = loaded.kind === 'json' ? await importKeys(loaded.value, algorithms, before) : undefined;
    if (imported !== undefined && imported.keys.length > 0)
      this.#accept(imported.keys, imported.refused, ageOf(loaded));
    else this.#fail(whyUnusable(loaded, imported?.refused), loaded.url);
  }

  #accept(keys: readonly VerificationKey[], refused: readonly RefusedKey[], age: number): void {
    const { clock, ttl, staleIfError, faults, log } = this.#options;
    const at = clock.monotonic() - age;
    this.#loaded = { ring: keyRing(keys), at, usableUntil: at + ttl + staleIfError };
    this.#failure = undefined;
    faults.recovered();
    const reasons = JSON.stringify(refused);
    if (reasons !== this.#refused) log.warn({ refused }, 'the gateway ignores some keys of a key set');
    this.#refused = reasons;
  }

  #fail(detail: string, url?: string): void {
    this.#failure = { detail, at: this.#options.clock.monotonic() };
    // A fetch that `close` interrupted is not a fault of the server.
    if (!this.#closed) this.#options.faults.failed(detail, 'warn', url);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const { every } = this.#options.source;
    const retry = Math.max(SHORTEST_RETRY, Math.min(every, this.#options.cooldown));
    const wait = Math.min(this.#failure === undefined ? every : retry, LONGEST_WAIT);
    this.#timer = setTimeout(() => this.start(), wait).unref();
  }
}

/** A second key set, which answers what the first one does not. */
export function behind(keys: KeySet): Omit<KeySet, 'find' | 'holds'> {
  return {
    knows: (kid) => keys.knows(kid),
    published: () => keys.published(),
    start: () => keys.start(),
    tried: () => keys.tried(),
    usable: () => keys.usable(),
    fault: () => keys.fault(),
    ageSeconds: () => keys.ageSeconds(),
    close: () => keys.close(),
  };
}

function ageOf(loaded: Fetched): number {
  return loaded.kind === 'json' ? (loaded.age ?? 0) : 0;
}

function whyUnusable(loaded: Fetched, refused: readonly RefusedKey[] | undefined): string {
  if (loaded.kind === 'failed') return loaded.detail;
  if (refused === undefined) return whyNoSet(loaded.value);
  return `no usable key${refused[0] === undefined ? '' : `: ${refused[0].reason}`}`;
}

function whyNoSet({ keys }: JsonObject): string {
  if (!Array.isArray(keys)) return `${NO_KEY_SET} (RFC 7517 §5)`;
  return `${TOO_MANY_KEYS}: ${keys.length}, and the gateway reads at most ${MAX_KEYS}`;
}
