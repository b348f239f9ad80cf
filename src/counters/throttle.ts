import { addressBlock } from '../base/client-address.ts';
import { remembered } from '../base/remembered.ts';
import type { Counters, Failures, MaybeShared } from './counters.ts';

/** One attempt to authenticate. */
export interface Attempt {
  /** Seconds. Present after too many failures: the attempt must not be checked. */
  readonly retryAfter: number | undefined;
  /**
   * The same as `retryAfter`, if this failure is over the limit: attempts in parallel are all checked before the first one has
   * failed. The result of this attempt must then stay hidden.
   */
  fail(): MaybeShared<number | undefined>;
}

/** With shared counters, it answers later. */
export interface Throttle {
  attempt(name: string, address: string): MaybeShared<Attempt>;
}

export interface ThrottleOptions {
  readonly counters: Counters;
  readonly maxFailures: number;
  /** Milliseconds from the first failure. */
  readonly window: number;
}

/**
 * Counts failures by name and address together, so guessing from one address does not lock out the name elsewhere. For IPv6,
 * each block around the address counts too. So a site with 65,536 links can guess no more often than a few addresses can.
 */
export function buildThrottle(options: ThrottleOptions): Throttle {
  return {
    attempt: (name, address) =>
      all(
        addressBlocks(address).map(({ block, times }) =>
          attemptAt(`${block.length}:${block}${name}`, { ...options, maxFailures: options.maxFailures * times }),
        ),
      ),
  };
}

/**
 * A link, and the blocks that one site may have (RFC 6177 §2). A wider block has a higher limit, so that no single block in it
 * uses up the limit of all.
 */
const WIDTHS = [
  { prefix: 64, times: 1 },
  { prefix: 56, times: 2 },
  { prefix: 48, times: 4 },
] as const;

export interface AddressBlock {
  readonly block: string;
  readonly times: number;
}

/** Clients repeat their addresses. For an address that is not IPv6, all blocks are equal. */
export const addressBlocks = remembered((address): readonly AddressBlock[] => {
  const blocks = WIDTHS.map(({ prefix, times }) => ({ block: addressBlock(address, prefix), times }));
  return blocks.filter(({ block, times }) => times === 1 || block !== blocks[0]?.block);
});

function attemptAt(key: string, { counters, maxFailures, window }: ThrottleOptions): MaybeShared<Attempt> {
  const waitAbove = (most: number, { count, endsIn }: Failures) =>
    count > most ? Math.max(1, Math.ceil(endsIn / 1000)) : undefined;
  const judge = (failures: Failures): Attempt => ({
    retryAfter: waitAbove(maxFailures - 1, failures),
    fail: () => afterwards(counters.fail(key, window), (counted) => waitAbove(maxFailures, counted)),
  });
  return afterwards(counters.failures(key), judge);
}

/** Failures for this many users from one address count as guessing, whatever the passwords. */
const USERS_BEHIND_AN_ADDRESS = 10;

/** Counts by name and address together, as `buildThrottle` does, and also by address only. */
export function buildLoginThrottle(options: ThrottleOptions): Throttle {
  const byName = buildThrottle(options);
  const byAddress = buildThrottle({ ...options, maxFailures: options.maxFailures * USERS_BEHIND_AN_ADDRESS });
  return {
    attempt: (name, address) => all([byName.attempt(name, address), byAddress.attempt(ADDRESS, address)]),
  };
}

/** No name of Basic or Digest, and no realm, contains a line break. */
const ADDRESS = 'http address\n';

function isKnown(attempt: MaybeShared<Attempt>): attempt is Attempt {
  return !(attempt instanceof Promise);
}

/** Settles at once if every counter does. */
function all(attempts: readonly MaybeShared<Attempt>[]): MaybeShared<Attempt> {
  const [first, ...more] = attempts;
  if (first !== undefined && more.length === 0) return first;
  return attempts.every(isKnown) ? together(attempts) : Promise.all(attempts).then(together);
}

function together(attempts: readonly Attempt[]): Attempt {
  return {
    retryAfter: longest(attempts.map(({ retryAfter }) => retryAfter)),
    fail() {
      const waits: (number | undefined)[] = [];
      const later: Promise<unknown>[] = [];
      for (const attempt of attempts) {
        const wait = attempt.fail();
        if (wait instanceof Promise) later.push(wait.then((told) => waits.push(told)));
        else waits.push(wait);
      }
      return later.length === 0 ? longest(waits) : Promise.all(later).then(() => longest(waits));
    },
  };
}

/** The longest wait, all in one unit. Undefined: none. */
export function longest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function afterwards<Value, Result>(counted: MaybeShared<Value>, read: (value: Value) => Result): MaybeShared<Result> {
  return counted instanceof Promise ? counted.then(read) : read(counted);
}
