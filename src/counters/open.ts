import type { Counters } from './counters.ts';
import { memoryCounters } from './memory.ts';
import { type CounterDependencies, redisCounters } from './redis.ts';

/** URL scheme → how to open the counters. */
const engines: Readonly<Record<string, (url: string, dependencies: CounterDependencies) => Counters>> = {
  memory: (_url, { clock }) => memoryCounters(clock),
  redis: redisCounters,
  rediss: redisCounters,
};

/**
 * The place of the counters, without credentials and settings. Two URLs have the same result only if they mean the same place.
 */
export function redisPlace(url: string): string {
  if (url === 'memory') return url;
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 6379}/${Number(pathname.slice(1))}`;
}

/** Opens the counters that `counters:` names. They count at once; `start` finds out whether they are shared. */
export function openCounters(url: string, dependencies: CounterDependencies): Counters {
  const scheme = url.split(':')[0] ?? '';
  const open = Object.hasOwn(engines, scheme) ? engines[scheme] : undefined;
  if (open === undefined) throw new Error(`counters: there is no engine for ${scheme}:`);
  return open(url, dependencies);
}
