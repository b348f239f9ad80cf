import type { Forward } from '../../decide/outcome.ts';
import { isHandedOn } from '../../forward/upstream-fields.ts';
import type { RequestHead, Via } from '../../message/request-head.ts';
import { clearedFrom } from './cleared-headers.ts';

export interface Allowing {
  readonly head: RequestHead;
  readonly plan: Forward;
  readonly via: Via;
  /** Whole seconds. */
  readonly lifetime: number;
  /** Seconds since the epoch, by the proxy's clock. Undefined: the proxy did not send the time. */
  readonly now: number | undefined;
  /**
   * The names of headers that affect the decision, in addition to method, host, target and credential. `*`: the list is
   * open.
   */
  readonly vary: string;
  /** In lower case. */
  readonly requestIdHeader: string;
}

/** The header lines of a decision that lets a request pass: what the proxy copies, clears, and uses as a cache key. */
export function allowance(allowing: Allowing): readonly string[] {
  const { head, plan, via, requestIdHeader } = allowing;
  const written = new Set(plan.identityHeaders.filter((_, index) => index % 2 === 0));
  const cleared = clearedFrom(head, plan).filter((name) => name !== requestIdHeader);
  return [
    ...remembered(allowing),
    'vary',
    allowing.vary,
    'content-length',
    '0',
    'x-gatehouse-clear',
    cleared.join(', '),
    'x-gatehouse-target',
    plan.target,
    ...plan.identityHeaders,
    ...plan.answerFields,
    ...ofVia[via](
      head,
      plan,
      cleared.filter((name) => !written.has(name)),
    ),
  ];
}

/** nginx reads X-Accel-Expires, and never caches a private answer. */
function remembered({ via, lifetime, now }: Allowing): readonly string[] {
  const kept = lifetime === 0 ? 'no-store' : `private, max-age=${lifetime}`;
  if (via !== 'nginx') return ['cache-control', kept];
  if (now === undefined || lifetime === 0) return ['x-accel-expires', String(lifetime), 'cache-control', kept];
  const end = Math.floor(now + lifetime);
  const isTooShort = end - now < LONGEST_LOCK;
  return isTooShort
    ? ['x-accel-expires', `@${end}`, 'cache-control', kept]
    : ['cache-control', WHILE_ONE_ASKS, 'x-accel-expires', `@${end - 1}`];
}

/**
 * An expired answer serves for one more second (RFC 5861 §3) while one request refreshes it. So the gateway lets it
 * expire one second earlier. nginx 1.22 reads this header only before X-Accel-Expires, which then sets the end.
 */
const WHILE_ONE_ASKS = 'max-age=1, stale-while-revalidate=1, stale-if-error=0';

/**
 * Seconds. In nginx, a request that waits for the answer to another request checks every half second. If the new answer
 * has already expired at this check, the request waits longer.
 */
const LONGEST_LOCK = 0.6;

/** The extra header lines for one kind of proxy. */
const ofVia: Readonly<
  Record<Via, (head: RequestHead, plan: Forward, removed: readonly string[]) => readonly string[]>
> = {
  nginx: () => [],
  // The proxy replaces the client's line with this one. If this one is empty, the proxy removes the client's.
  'forward-auth': ({ authorization }, plan) =>
    isHandedOn(plan) && authorization?.lines === 1 ? ['authorization', authorization.value] : [],
  // Envoy removes headers after it sets them, so this list must not contain a header that the gateway writes.
  envoy: (_, __, removed) => ['x-envoy-auth-headers-to-remove', removed.join(',')],
};
