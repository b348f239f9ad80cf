import { fold } from '../../../config/words/fold-name.ts';
import type { Forward } from '../../decide/outcome.ts';
import { credentialHeaders } from '../../decide/placed-credentials.ts';
import { isHandedOn } from '../../forward/upstream-fields.ts';
import type { RequestHead, Via } from '../../message/request-head.ts';
import { OURS } from '../../message/reserved-headers.ts';

export interface Allowing {
  readonly head: RequestHead;
  readonly plan: Forward;
  readonly via: Via;
  /** Whole seconds. */
  readonly lifetime: number;
  /** Seconds since the epoch, by the clock of the proxy; undefined: it did not say. */
  readonly now: number | undefined;
  /** The names of headers that decide beside method, host, target and credential. `*`: the list is open. */
  readonly vary: string;
  /** In lower case. */
  readonly requestIdHeader: string;
}

/** The header lines of a decision that a request passes: what the proxy copies, clears, and remembers it by. */
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

/** nginx goes by X-Accel-Expires, and never keeps what is private. */
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
 * An expired answer serves for one more second (RFC 5861 §3) while one request refreshes it, so it expires that much earlier.
 * nginx 1.22 reads this only before X-Accel-Expires, which then sets the end.
 */
const WHILE_ONE_ASKS = 'max-age=1, stale-while-revalidate=1, stale-if-error=0';

/** Seconds: who waits for another's question looks each half second, and for long where the answer has ended by then. */
const LONGEST_LOCK = 0.6;

/** What a proxy writes itself, or what is written for it by the name that it has. */
const OF_PROXIES = /^(?:forwarded|x-forwarded(?:-[a-z]+)+)$/;

/**
 * Headers that must not reach the upstream as the client sent them: the names that the gateway writes, in every spelling that
 * the request has, and the credential unless the route forwards it (T28).
 */
function clearedFrom(head: RequestHead, plan: Forward): readonly string[] {
  const { identityHeaders, schemes } = plan.route;
  const placed = isHandedOn(plan) ? undefined : credentialHeaders(schemes);
  const came = head.fields.filter((name, index) => {
    if (index % 2 === 1 || OURS.has(name) || OF_PROXIES.test(name)) return false;
    if (placed?.has(fold(name))) return true;
    // the asking proxy is trusted, and sends the request that it forwards
    return identityHeaders.spoofs(name, true);
  });
  const credential = isHandedOn(plan) ? [] : ['authorization'];
  return [...new Set([...identityHeaders.names, ...came, ...credential])];
}

/** What one kind of proxy needs beside: each table entry is one way of being told. */
const ofVia: Readonly<
  Record<Via, (head: RequestHead, plan: Forward, removed: readonly string[]) => readonly string[]>
> = {
  nginx: () => [],
  // The proxy replaces the client's line by this one, and removes it if this one is empty.
  'forward-auth': ({ authorization }, plan) =>
    isHandedOn(plan) && authorization?.lines === 1 ? ['authorization', authorization.value] : [],
  // It removes after it has set, so what is written is not among them.
  envoy: (_, __, removed) => ['x-envoy-auth-headers-to-remove', removed.join(',')],
};
