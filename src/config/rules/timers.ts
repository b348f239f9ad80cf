import type { Finding, Pointer } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

/** Milliseconds. A longer timer of Node.js fires at once. */
const longest = 2 ** 31 - 1;

/** Durations for timers. Lifetimes are compared with a clock, and may be longer. */
export const timerChecks: Checks<GatewaySubject> = {
  'longest wait': ({ config, upstreams, routes }) => [
    ...timerFaults(['limits'], config.limits),
    ...timerFaults(['limits', 'body_rate'], config.limits.body_rate, ['over']),
    ...timerFaults(['shutdown'], config.shutdown),
    ...upstreams.flatMap(({ at, value }) => timerFaults([...at, 'timeout'], value.timeout)),
    ...routes.flatMap(({ at, value }) => timerFaults([...at, 'timeout'], value.timeout ?? {})),
  ],
};

const waits = ['headers_timeout', 'idle', 'connect', 'response', 'deadline'];

export function timerFaults(at: Pointer, values: object, keys: readonly string[] = waits): readonly Finding[] {
  return Object.entries(values).flatMap(([key, wait]): Finding[] =>
    keys.includes(key) && typeof wait === 'number' && wait > longest
      ? [{ pointer: [...at, key], message: 'a wait of more than 24 days', hint: 'write 24d or less' }]
      : [],
  );
}
