import { LRUCache } from 'lru-cache';
import { type Asker, buildBoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import { outage } from '../../base/verdict.ts';
import { StorageUnavailable } from '../../storage/lookup/read.ts';
import { foundOr, type LookupResult, type UserLookup } from './lookup-result.ts';

/** Milliseconds from the moment at which a look-up began: a change in the store holds within a second. */
const REMEMBERED_FOR = 900;
/** Unknown names are kept apart, so that guessing cannot evict known ones. */
const MOST = { found: 10_000, unknown: 2_000 } as const;
/** Seconds, for `Retry-After`. */
const RETRY_AFTER = 1;
/** `kept`: for credentials that were right a moment ago, so that strangers cannot take every place. */
const atOnce = { atOnce: 16, waiting: 1280, kept: 256 } as const;

/** `users`: the dependency's name in an outage. */
const USERS = 'users';

/** Looks for users in a store: of the same one once at a time, and not again at once. */
export interface UserLookups<User> {
  /** `asker`: a share of the queue is theirs, and no more. */
  find(key: string, asker: Asker, ask: () => Promise<User | undefined>): UserLookup<User>;
}

export function userLookups<User extends object>(clock: Clock): UserLookups<User> {
  const queue = buildBoundedQueue(atOnce);
  const remembered = {
    found: new LRUCache<string, Remembered<User>>({ max: MOST.found }),
    unknown: new LRUCache<string, Remembered<User>>({ max: MOST.unknown }),
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
    // there was no place for the one that asked first, which says nothing of this one
    return (await same) ?? look(key, asker, ask);
  };
  return { find: (key, asker, ask) => recall(key) ?? look(key, asker, ask) };
}

function tooMany(): LookupResult<never> {
  return outage(USERS, RETRY_AFTER, 'too many users are being looked for at this moment');
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
