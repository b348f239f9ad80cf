import { BoundedCache } from '../../base/bounded-cache.ts';
import type { Clock } from '../../base/clock.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import type { VerificationKey } from '../../jwt/keys.ts';
import { isUserKid, subjectHash } from '../../oauth/user-key.ts';
import type { CallLimit } from '../server-client/call-limit.ts';
import type { FailedFetch, Fetched } from '../server-client/fetch-json.ts';
import { behind, type FoundKeys, type KeySet } from '../server-client/key-set.ts';
import type { FetchBudget } from './fetch-budget.ts';
import type { Revocations } from './revocations.ts';
import { type AskForUserKey, type FetchedUserKey, readUserKey } from './user-key-source.ts';

export interface UserKeyCacheOptions {
  readonly issuer: string;
  readonly ask: AskForUserKey;
  readonly algorithms: readonly AlgorithmName[];
  /** The maximum number of cached keys. */
  readonly size: number;
  /** Milliseconds for which a key serves without a feed, if the server sets no limit. */
  readonly maxAge: number;
  /** Milliseconds after that for which a key serves while the server is unreachable. */
  readonly staleIfError: number;
  readonly limit: CallLimit;
  readonly budget: FetchBudget;
  readonly revocations: Pick<Revocations, 'isDead' | 'inStep' | 'epoch' | 'span'>;
  readonly clock: Clock;
}

/** The keys of single users. The gateway fetches a key by its `kid` when a token with it arrives. */
export interface UserKeyCache {
  /** Undefined: the server has no keys of single users. */
  find(alg: AlgorithmName, kid: string, subject: string | undefined): FoundKeys | Promise<FoundKeys | undefined>;
  /** Whether tokens that this key verified are still valid. */
  holds(key: VerificationKey): boolean;
  /**
   * Ends a key for ever. The feed drops its event after the user's last token. Without this call, someone with the key
   * could then issue new tokens.
   */
  ended(kid: string): void;
  clear(): void;
  size(): number;
  fetches(): number;
}

interface Held extends FetchedUserKey {
  /**
   * The feed's span in which the key was fetched. The feed reports whatever ends the key within this span. Undefined:
   * the feed was not up to date.
   */
  readonly span: number | undefined;
  /** Monotonic milliseconds. */
  readonly freshUntil: number;
  readonly usableUntil: number;
}

type Loaded = Held | 'absent' | 'none' | { readonly kind: 'out'; readonly detail: string };

/** Milliseconds. A `kid` that the server does not have is not fetched again within this time. */
const ABSENT_FOR = 5_000;
const MOST_ABSENT = 10_000;
/** Milliseconds. */
const LONGEST_WAIT = 5_000;

/** Why a key was not fetched. */
const BUSY = {
  full: 'too many fetches of user keys wait already',
  late: 'a fetch of a user key waited too long for its turn',
} as const;
const UNKNOWN: FoundKeys = { kind: 'unknown' };
const REVOKED: FoundKeys = { kind: 'revoked' };

export function userKeyCache(options: UserKeyCacheOptions): UserKeyCache {
  return new FetchedUserKeys(options);
}

class FetchedUserKeys implements UserKeyCache {
  readonly #options: UserKeyCacheOptions;
  readonly #held: BoundedCache<Held>;
  /** The `kid`s that the server does not have → until when: monotonic milliseconds. */
  readonly #absent = new BoundedCache<number>(MOST_ABSENT);
  readonly #flights = new Map<string, Promise<Loaded>>();
  #fetches = 0;

  constructor(options: UserKeyCacheOptions) {
    this.#options = options;
    this.#held = new BoundedCache(options.size);
  }

  find(alg: AlgorithmName, kid: string, subject: string | undefined): FoundKeys | Promise<FoundKeys | undefined> {
    if (this.#options.revocations.isDead(kid)) return REVOKED;
    if (subject === undefined) return UNKNOWN;
    const here = this.#held.get(kid);
    if (here !== undefined && this.#serves(here)) return this.#bound(here, alg, subject);
    if ((this.#absent.get(kid) ?? Number.NEGATIVE_INFINITY) > this.#options.clock.monotonic()) return UNKNOWN;
    return this.#fetched(kid, alg, subject);
  }

  holds(key: VerificationKey): boolean {
    const here = key.kid === undefined ? undefined : this.#held.get(key.kid);
    return here !== undefined && here.key === key && this.#serves(here);
  }

  ended(kid: string): void {
    this.#held.delete(kid);
  }

  clear(): void {
    this.#held.clear();
    this.#flights.clear();
  }

  size(): number {
    return this.#held.size;
  }

  fetches(): number {
    return this.#fetches;
  }

  #serves({ span, freshUntil }: Held): boolean {
    const { revocations, clock } = this.#options;
    return (span === revocations.span && revocations.inStep()) || clock.monotonic() < freshUntil;
  }

  /** RFC 8725 §3.1: a key is for one algorithm. This key is also for one user. */
  #bound({ key, subjectHash: hash }: Held, alg: AlgorithmName, subject: string): FoundKeys {
    const isTheirs = key.alg === alg && hash === subjectHash(this.#options.issuer, subject);
    return isTheirs ? { kind: 'keys', keys: [key] } : UNKNOWN;
  }

  async #fetched(kid: string, alg: AlgorithmName, subject: string): Promise<FoundKeys | undefined> {
    const { budget } = this.#options;
    const underWay = this.#flights.get(kid);
    if (underWay === undefined && !budget.take())
      return { kind: 'out', detail: 'too many fetches of user keys that do not exist' };
    const loaded = await (underWay ?? this.#fly(kid));
    if (loaded === 'none') return undefined;
    if (loaded === 'absent') return UNKNOWN;
    if (!('key' in loaded)) return loaded;
    if (underWay === undefined) budget.give();
    return this.#bound(loaded, alg, subject);
  }

  #fly(kid: string): Promise<Loaded> {
    const flight = this.#load(kid).finally(() => {
      if (this.#flights.get(kid) === flight) this.#flights.delete(kid);
    });
    this.#flights.set(kid, flight);
    return flight;
  }

  async #load(kid: string): Promise<Loaded> {
    const { revocations, limit, ask } = this.#options;
    const { epoch } = revocations;
    const span = revocations.inStep() ? revocations.span : undefined;
    const signal = AbortSignal.timeout(LONGEST_WAIT);
    this.#fetches++;
    const fetched = await limit.run(signal, () => ask(kid));
    if (fetched === 'full' || fetched === 'late') return { kind: 'out', detail: BUSY[fetched] };
    if (fetched === 'none') return 'none';
    // A result that was requested before `clear` may be outdated.
    return epoch === revocations.epoch ? this.#judge(kid, fetched, span) : this.#load(kid);
  }

  async #judge(kid: string, fetched: Fetched, span: Held['span']): Promise<Loaded> {
    const before = this.#held.get(kid);
    if (fetched.kind === 'failed') return this.#failed(kid, fetched, before);
    const { algorithms, maxAge } = this.#options;
    const key = await readUserKey(fetched.value, { kid, accepted: algorithms, before: before?.key });
    if (key === undefined)
      return { kind: 'out', detail: 'key of a user: the answer is not a key set with exactly one acceptable key' };
    return this.#keep(kid, key, { span, maxAge: fetched.maxAge === undefined ? maxAge : fetched.maxAge * 1000 });
  }

  #failed(kid: string, { status, detail }: FailedFetch, before: Held | undefined): Loaded {
    if (status === 404) return this.#miss(kid);
    const serving = before !== undefined && this.#options.clock.monotonic() < before.usableUntil;
    return serving ? before : { kind: 'out', detail: `key of a user: ${detail}` };
  }

  #keep(kid: string, key: FetchedUserKey, { span, maxAge }: Pick<Held, 'span'> & { maxAge: number }): Held {
    const { clock, staleIfError, revocations } = this.#options;
    const freshUntil = clock.monotonic() + maxAge;
    const entry = { ...key, span, freshUntil, usableUntil: freshUntil + staleIfError };
    if (!revocations.isDead(kid)) this.#held.set(kid, entry);
    return entry;
  }

  #miss(kid: string): Loaded {
    this.#absent.set(kid, this.#options.clock.monotonic() + ABSENT_FOR);
    this.#held.delete(kid);
    return 'absent';
  }
}

/**
 * A server may have both kinds. The keys that it publishes for all users come first, since their `kid` may look like a
 * user's.
 */
export function withUserKeys(published: KeySet, users: UserKeyCache): KeySet {
  const isUsers = (kid: string | undefined): kid is string => isUserKid(kid) && !published.knows(kid);
  return {
    ...behind(published),
    find(alg, kid, subject) {
      if (!isUsers(kid)) return published.find(alg, kid, subject);
      const found = users.find(alg, kid, subject);
      if (!(found instanceof Promise)) return found;
      return found.then((each) => each ?? published.find(alg, kid, subject));
    },
    // Published keys come first, because most keys are published.
    holds: (key) => published.holds(key) || (isUsers(key.kid) && users.holds(key)),
  };
}
