import { BoundedCache } from '../../base/bounded-cache.ts';
import { type Asker, buildBoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import { outage } from '../../base/verdict.ts';
import { StorageUnavailable } from '../../storage/lookup/read.ts';
import { foundOr, type LookupResult, type UserLookup } from './lookup-result.ts';

/** Milliseconds since the look-up began. A change in the store applies within a second. */
const REMEMBERED_FOR = 900;
/** Unknown names have their own cache, so that guessing cannot evict known ones. */
const MOST = { found: 10_000, unknown: 2_000 } as const;
/** Seconds, for `Retry-After`. */
const RETRY_AFTER = 1;
/** `kept`: places for credentials that were correct recently, so that unknown clients cannot take all places. */
const atOnce = { atOnce: 16, waiting: 1280, kept: 256 } as const;

/** The dependency's name in an outage. */
const USERS = 'users';

/** Looks up users in a store. Each user has one look-up at a time, and the result is cached briefly. */
export interface UserLookups<User> {
  /** `asker` may use only its share of the queue. */
  find(key: string, asker: Asker, ask: () => Promise<User | undefined>): UserLookup<User>;
}

export function userLookups<User extends object>(clock: Clock): UserLookups<User> {
  const queue = buildBoundedQueue(atOnce);
  const remembered = {
    found: new BoundedCache<Remembered<User>>(MOST.found),
    unknown: new BoundedCache<Remembered<User>>(MOST.unknown),
  };
  const underWay = new Map<string, Promise<LookupResult<User> | undefined>>();
  const recall = (key: string) => {
    const known = remembered.found.get(key) ?? remembered.unknown.get(key);
    return known !== undefined && known.until > clock.monotonic() ? known.answered : undefined;
  };
  const keep = (key: string, answered: LookupResult<User>, began: number) => {
    remembered.found.delete(key);
    remembered.unknown.delete(key);
    if (answered.kind !== 'outage') remembered[answered.kind].set(key, { answered, until: began + REMEMBERED_FOR });
    return answered;
  };
  const begin = (key: string, asker: Asker, ask: () => Promise<User | undefined>) => {
    const job = queue.run(async () => {
      const began = clock.monotonic();
      return keep(key, await settled(ask), began);
    }, asker);
    const begun = job.finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
  const look: UserLookups<User>['find'] = async (key, asker, ask) => {
    const same = underWay.get(key);
    if (same === undefined) return (await begin(key, asker, ask)) ?? tooMany();
    // The first asker got no place, which says nothing about this asker.
    return (await same) ?? look(key, asker, ask);
  };
  return { find: (key, asker, ask) => recall(key) ?? look(key, asker, ask) };
}

function tooMany(): LookupResult<never> {
  return outage(USERS, RETRY_AFTER, 'too many user look-ups at this moment');
}

interface Remembered<User> {
  readonly answered: LookupResult<User>;
  /** Time of the monotonic clock. */
  readonly until: number;
}

async function settled<User>(ask: () => Promise<User | undefined>): Promise<LookupResult<User>> {
  try {
    return foundOr(await ask());
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    return outage(USERS, error.retryAfter, error.message);
  }
}
