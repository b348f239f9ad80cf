import type { Clock } from '../base/clock.ts';
import {
  type Counters,
  digest,
  type Failures,
  LAST_COUNT,
  type MaybeShared,
  type NonceUsage,
  type NonceUse,
  PARTS,
} from './counters.ts';
import { Link, type LinkDependencies } from './link.ts';
import { memoryCounters } from './memory.ts';

export interface CounterDependencies extends LinkDependencies {
  readonly clock: Clock;
}

/** Counters that every process with this Redis shares. While Redis is unreachable, this process counts alone. */
export function redisCounters(url: string, { clock, ...dependencies }: CounterDependencies): Counters {
  const link = new Link(url, dependencies);
  const own = memoryCounters(clock);
  return {
    take: (key, limit) => {
      const name = `gatehouse:taken:${limit.window}:${digest(key)}`;
      const asked = link.ask('gatehouseTake', [name, limit.requests, limit.window, PARTS]);
      return orElse(asked, toWait, () => own.take(key, limit));
    },
    failures: (key) => orElse(link.ask('gatehouseFailures', [failuresOf(key)]), toFailures, () => own.failures(key)),
    fail: (key, window) =>
      orElse(link.ask('gatehouseFail', [failuresOf(key), window]), toFailures, () => own.fail(key, window)),
    useNonce: async (use) => {
      const reply = await link.ask('gatehouseNonce', nonceArguments(use, link.evicts));
      // Without a reply, Redis is unreachable and its status unknown.
      if (reply !== undefined) link.evicting(typeof reply === 'string' ? reply : undefined);
      return typeof reply === 'number' ? usages[reply] : undefined;
    },
    nonceFault: () => link.evicts && faultOf(link.evicts),
    start: () => link.open(),
    reachable: () => link.reachable,
    close: async () => link.close(),
  };
}

/** An evicted nonce could be used again without notice. */
function faultOf(policy: string): string {
  return `counters: this Redis evicts nonces of Digest when its memory is full (maxmemory-policy ${policy}): write \`maxmemory-policy noeviction\` in redis.conf, or run \`redis-cli config set maxmemory-policy noeviction\`, or use a separate Redis for the counters`;
}

/** The results of the script in order. Instead, the script may return the eviction policy. */
const usages: readonly NonceUsage[] = ['fresh', 'repeated', 'forgotten'];

function nonceArguments(
  { id, issuedAt, lifetime, count, mode }: NonceUse,
  policy = 'noeviction',
): readonly [string, ...(number | string)[]] {
  const isLast = count === 'last';
  const window = mode === 'window' && !isLast ? 1 : 0;
  return [
    `gatehouse:nonce:${digest(id)}`,
    issuedAt,
    Math.max(1, Math.ceil(lifetime)),
    isLast ? LAST_COUNT : count,
    window,
    isLast ? 1 : 0,
    policy,
  ];
}

/** Hashed, because a database must not reveal names of clients and addresses of people. */
function failuresOf(key: string): string {
  return `gatehouse:failures:${digest(key)}`;
}

/** An invalid answer counts as no answer. */
function orElse<Value>(
  asked: Promise<unknown> | undefined,
  read: (reply: unknown) => Value | undefined,
  own: () => Value,
): MaybeShared<Value> {
  return asked === undefined ? own() : asked.then((reply) => read(reply) ?? own());
}

function toWait(reply: unknown): number | undefined {
  return typeof reply === 'number' ? reply : undefined;
}

function toFailures(reply: unknown): Failures | undefined {
  const [count, endsIn] = Array.isArray(reply) ? reply : [];
  return typeof count === 'number' && typeof endsIn === 'number' ? { count, endsIn } : undefined;
}
