import type { Clock } from '../base/clock.ts';
import type { Counters } from '../counters/counters.ts';
import { memoryCounters } from '../counters/memory.ts';
import type { IpcChannel } from './ipc-channel.ts';
import type { PrimaryVerbs } from './messages.ts';

/**
 * Milliseconds for one message. A caller that waits longer counts by itself, as without a Redis. On a busy machine,
 * both wait for the processor.
 */
const DEADLINE = 1_000;
/** Milliseconds without further questions after the primary did not answer. */
const PAUSE = 500;

type Verb = 'take' | 'failures' | 'fail' | 'useNonce';

/**
 * Counters in the primary, called once for each request that needs one. If the primary does not answer, a rate limit
 * counts in this worker. For nonces, this is an outage, because no process can then know whether a nonce was used.
 */
export function remoteCounters(line: Pick<IpcChannel<PrimaryVerbs, unknown>, 'ask'>, clock: Clock): Counters {
  const own = memoryCounters(clock);
  let lostUntil = Number.NEGATIVE_INFINITY;
  const ask = async <Name extends Verb>(verb: Name, asked: PrimaryVerbs[Name]['asked']) => {
    if (clock.monotonic() < lostUntil) return undefined;
    const told = await line.ask(verb, asked, DEADLINE);
    lostUntil = told === undefined ? clock.monotonic() + PAUSE : Number.NEGATIVE_INFINITY;
    return told;
  };
  return {
    take: async (key, limit) => (await ask('take', { key, limit })) ?? own.take(key, limit),
    failures: async (key) => (await ask('failures', key)) ?? own.failures(key),
    fail: async (key, window) => (await ask('fail', { key, window })) ?? own.fail(key, window),
    useNonce: (use) => ask('useNonce', use),
    start: async () => {},
    reachable: () => clock.monotonic() >= lostUntil,
    close: async () => {},
  };
}
