import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import type { VerificationKey } from '../../jwt/keys.ts';
import { isUserKid, subjectHash } from '../../oauth/user-key.ts';
import type { CallLimit } from '../verify/call-limit.ts';
import type { Fetched } from '../verify/fetch-json.ts';
import type { FoundKeys, KeySet } from '../verify/key-set.ts';
import type { FetchBudget } from './fetch-budget.ts';
import type { Revocations } from './revocations.ts';
import { type AskForUserKey, readUserKey, type UserKey } from './user-key-source.ts';

export interface UserKeysOptions {
  readonly issuer: string;
  readonly ask: AskForUserKey;
  readonly algorithms: readonly AlgorithmName[];
  /** Keys kept. */
  readonly size: number;
  /** Milliseconds for which a key serves where no feed says that it ended, if the server does not say. */
  readonly maxAge: number;
  /** Milliseconds past that for which it serves while the server cannot be reached. */
  readonly staleIfError: number;
  readonly limit: CallLimit;
  readonly budget: FetchBudget;
  readonly revocations: Pick<Revocations, 'isDead' | 'inStep' | 'epoch' | 'span'>;
  readonly clock: Clock;
}

/** The keys of single users, fetched by `kid` when a token of theirs comes. */
export interface UserKeys {
  /** Undefined: the server has no such keys. */
  find(alg: AlgorithmName, kid: string, subject: string | undefined): FoundKeys | Promise<FoundKeys | undefined>;
  /** Whether what this key verified still counts. */
  holds(key: VerificationKey): boolean;
  /** For good: who has it could make tokens with it when the feed, after the last token of its user, tells of it no more. */
  ended(kid: string): void;
  clear(): void;
  size(): number;
  fetches(): number;
}

interface Held extends UserKey {
  /** The span of the feed in which it was fetched: whatever ended it in that would have been told. Undefined: in none. */
  readonly span: number | undefined;
  /** Monotonic milliseconds. */
  readonly freshUntil: number;
  readonly usableUntil: number;
}

type Loaded = Held | 'absent' | 'none' | { readonly kind: 'out'; readonly detail: string };

/** Milliseconds for which a `kid` is not asked for again that the server does not have. */
const ABSENT_FOR = 5_000;
const MOST_ABSENT = 10_000;
/** Milliseconds. */
const LONGEST_WAIT = 5_000;
const UNKNOWN: FoundKeys = { kind: 'unknown' };
const REVOKED: FoundKeys = { kind: 'revoked' };

export function userKeys(options: UserKeysOptions): UserKeys {
  const { issuer, ask, limit, budget, revocations, clock } = options;
  const held = new LRUCache<string, Held>({ max: options.size });
  const absent = new LRUCache<string, number>({ max: MOST_ABSENT });
  const flights = new Map<string, Promise<Loaded>>();
  let fetches = 0;

  const isTold = ({ span }: Held) => span === revocations.span && revocations.inStep();
  const serves = (key: Held) => isTold(key) || clock.monotonic() < key.freshUntil;

  const keep = (kid: string, key: UserKey, { span, maxAge }: Pick<Held, 'span'> & { maxAge: number }): Held => {
    const freshUntil = clock.monotonic() + maxAge;
    const entry = { ...key, span, freshUntil, usableUntil: freshUntil + options.staleIfError };
    if (!revocations.isDead(kid)) held.set(kid, entry);
    return entry;
  };

  const miss = (kid: string): Loaded => {
    absent.set(kid, clock.monotonic() + ABSENT_FOR);
    held.delete(kid);
    return 'absent';
  };

  const judge = async (kid: string, fetched: Fetched, span: Held['span']): Promise<Loaded> => {
    const before = held.get(kid);
    if (fetched.kind === 'failed') {
      if (fetched.status === 404) return miss(kid);
      const serving = before !== undefined && clock.monotonic() < before.usableUntil;
      return serving ? before : { kind: 'out', detail: `key of a user: ${fetched.detail}` };
    }
    const key = await readUserKey(fetched.value, { kid, accepted: options.algorithms, before: before?.key });
    if (key === undefined) return { kind: 'out', detail: 'key of a user: not a set of one key that is accepted' };
    return keep(kid, key, { span, maxAge: fetched.maxAge === undefined ? options.maxAge : fetched.maxAge * 1000 });
  };

  const load = async (kid: string): Promise<Loaded> => {
    const { epoch } = revocations;
    const span = revocations.inStep() ? revocations.span : undefined;
    const signal = AbortSignal.timeout(LONGEST_WAIT);
    fetches++;
    const fetched = await limit.run(signal, () => ask(kid));
    if (fetched === 'full' || fetched === 'late')
      return { kind: 'out', detail: `too many keys of users are asked for: ${fetched}` };
    if (fetched === 'none') return 'none';
    // What was asked for before everything was forgotten is as old as that.
    return epoch === revocations.epoch ? judge(kid, fetched, span) : load(kid);
  };

  const fly = (kid: string): Promise<Loaded> => {
    const flight = load(kid).finally(() => void (flights.get(kid) === flight && flights.delete(kid)));
    flights.set(kid, flight);
    return flight;
  };

  const fetched = async (kid: string, alg: AlgorithmName, subject: string): Promise<FoundKeys | undefined> => {
    const underWay = flights.get(kid);
    if (underWay === undefined && !budget.take())
      return { kind: 'out', detail: 'too many keys of users that are not there are asked for' };
    const loaded = await (underWay ?? fly(kid));
    if (loaded === 'none') return undefined;
    if (loaded === 'absent') return UNKNOWN;
    if (!('key' in loaded)) return loaded;
    if (underWay === undefined) budget.give();
    return bound(loaded, alg, subject);
  };

  /** RFC 8725 §3.1: a key is for one algorithm; and this one is for one user. */
  const bound = ({ key, subjectHash: hash }: Held, alg: AlgorithmName, subject: string): FoundKeys =>
    key.alg === alg && hash === subjectHash(issuer, subject) ? { kind: 'keys', keys: [key] } : UNKNOWN;

  return {
    find(alg, kid, subject) {
      if (revocations.isDead(kid)) return REVOKED;
      if (subject === undefined) return UNKNOWN;
      const here = held.get(kid);
      if (here !== undefined && serves(here)) return bound(here, alg, subject);
      if ((absent.get(kid) ?? Number.NEGATIVE_INFINITY) > clock.monotonic()) return UNKNOWN;
      return fetched(kid, alg, subject);
    },
    holds(key) {
      const here = key.kid === undefined ? undefined : held.get(key.kid);
      return here !== undefined && here.key === key && serves(here);
    },
    ended: (kid) => void held.delete(kid),
    clear() {
      held.clear();
      flights.clear();
    },
    size: () => held.size,
    fetches: () => fetches,
  };
}

/** One server may have both: the keys that it publishes for all come first, since a `kid` of theirs may look like a user's. */
export function withUserKeys(published: KeySet, users: UserKeys): KeySet {
  const isUsers = (kid: string | undefined): kid is string => isUserKid(kid) && !published.knows(kid);
  return {
    ...published,
    find(alg, kid, subject) {
      if (!isUsers(kid)) return published.find(alg, kid, subject);
      const found = users.find(alg, kid, subject);
      if (!(found instanceof Promise)) return found;
      return found.then((each) => each ?? published.find(alg, kid, subject));
    },
    holds: (key) => (isUsers(key.kid) ? users.holds(key) : published.holds(key)),
  };
}
